"""Studies with people: a web app where they rate, choose, write, and talk to chatbots."""
