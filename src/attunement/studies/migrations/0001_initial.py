import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("background", "background"),
                            ("training", "training"),
                            ("main", "main"),
                            ("attention", "attention"),
                            ("repeat", "repeat"),
                            ("closing", "closing"),
                        ],
                        max_length=12,
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("order", models.JSONField(blank=True, default=list)),
                ("prefill", models.JSONField(blank=True, default=dict)),
                ("seconds", models.FloatField(default=0)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["position", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("actor", models.CharField(max_length=150)),
                ("action", models.CharField(max_length=50)),
                ("detail", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("item_id", models.CharField(max_length=200, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("main", "main"),
                            ("training", "training"),
                            ("attention", "attention"),
                        ],
                        default="main",
                        max_length=10,
                    ),
                ),
                ("topic", models.CharField(blank=True, max_length=200, null=True)),
                ("turns", models.JSONField()),
                ("failure_mode", models.CharField(blank=True, max_length=100, null=True)),
                ("lang", models.CharField(blank=True, max_length=20, null=True)),
                ("meta", models.JSONField(blank=True, default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="Stage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.SlugField()),
                ("position", models.PositiveSmallIntegerField()),
                ("instrument", models.TextField()),
                ("step", models.CharField(blank=True, max_length=50)),
                ("seed", models.BigIntegerField(default=1)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="Study",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=100, unique=True)),
                ("source", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("last_day", models.DateField(blank=True, null=True)),
                ("demo", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name_plural": "studies",
            },
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dimension", models.CharField(max_length=100)),
                ("unit_id", models.CharField(max_length=200)),
                ("value", models.FloatField(null=True)),
                ("labels", models.JSONField(null=True)),
                ("status", models.CharField(max_length=20)),
                ("spans", models.JSONField(null=True)),
                ("rationale", models.TextField(null=True)),
                ("saved_at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="studies.assignment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dimension", models.CharField(max_length=100)),
                ("unit_id", models.CharField(max_length=200)),
                ("value", models.FloatField(null=True)),
                ("labels", models.JSONField(null=True)),
                ("status", models.CharField(max_length=20)),
                ("spans", models.JSONField(null=True)),
                ("rationale", models.TextField(null=True)),
                ("client", models.CharField(max_length=40)),
                ("saved_at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="studies.assignment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Chat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("bot", models.CharField(max_length=100)),
                ("number", models.PositiveSmallIntegerField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("stopped", models.BooleanField(default=False)),
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chat",
                        to="studies.assignment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CommentCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("codes", models.CharField(blank=True, max_length=300)),
                ("hidden", models.BooleanField(default=False)),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now=True)),
                (
                    "answer",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="coding",
                        to="studies.answer",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="assignment",
            name="item",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                to="studies.item",
            ),
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("role", models.CharField(max_length=10)),
                ("text", models.TextField(blank=True)),
                ("status", models.CharField(default="done", max_length=10)),
                ("client", models.CharField(blank=True, max_length=40)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("error", models.TextField(blank=True)),
                ("latency_s", models.FloatField(null=True)),
                ("tokens_in", models.PositiveIntegerField(null=True)),
                ("tokens_out", models.PositiveIntegerField(null=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "chat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="studies.chat",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=20, unique=True)),
                ("nonce", models.CharField(max_length=32)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("address", models.CharField(blank=True, max_length=254)),
                ("language", models.CharField(blank=True, max_length=5)),
                ("arm", models.CharField(blank=True, max_length=100)),
                ("invited_at", models.DateTimeField(blank=True, null=True)),
                ("reminded_at", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("last_seen_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("completion", models.CharField(blank=True, max_length=40)),
                (
                    "replaces",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="studies.participant",
                    ),
                ),
            ],
            options={
                "ordering": ["code"],
            },
        ),
        migrations.CreateModel(
            name="Consent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("language", models.CharField(max_length=5)),
                ("text", models.TextField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "participant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="consents",
                        to="studies.participant",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="assignment",
            name="participant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="assignments",
                to="studies.participant",
            ),
        ),
        migrations.CreateModel(
            name="Response",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("response_id", models.CharField(max_length=200, unique=True)),
                ("sources", models.JSONField()),
                ("merged", models.JSONField(blank=True, default=list)),
                ("text", models.TextField()),
                ("labels", models.JSONField(blank=True, null=True)),
                ("known", models.JSONField(blank=True, null=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="responses",
                        to="studies.item",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PanelDecision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("action", models.CharField(max_length=10)),
                ("item", models.CharField(blank=True, max_length=100)),
                ("dimension", models.CharField(blank=True, max_length=100)),
                ("label", models.JSONField(blank=True, default=dict)),
                ("into", models.JSONField(blank=True, default=list)),
                ("reason", models.TextField()),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now=True)),
                (
                    "rests_on",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="studies.answer",
                    ),
                ),
                (
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="studies.stage",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="stage",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                to="studies.stage",
            ),
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit_id", models.CharField(max_length=200)),
                ("dimension", models.CharField(max_length=100)),
                ("value", models.FloatField(null=True)),
                ("labels", models.JSONField(null=True)),
                ("status", models.CharField(default="ok", max_length=20)),
                ("note", models.TextField(blank=True)),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now=True)),
                (
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="studies.stage"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="stage",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="stages",
                to="studies.study",
            ),
        ),
        migrations.AddConstraint(
            model_name="answer",
            constraint=models.UniqueConstraint(
                fields=("assignment", "unit_id", "dimension"), name="one_answer"
            ),
        ),
        migrations.AddConstraint(
            model_name="change",
            constraint=models.UniqueConstraint(fields=("assignment", "client"), name="a_save_once"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["status"], name="open_replies"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("chat", "position"), name="one_turn"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(
                condition=models.Q(("client", ""), _negated=True),
                fields=("chat", "client"),
                name="a_message_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="paneldecision",
            constraint=models.UniqueConstraint(
                condition=models.Q(("item", ""), _negated=True),
                fields=("stage", "item"),
                name="an_item_decided_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("participant", "position"), name="one_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("item__isnull", False)),
                fields=("participant", "stage", "item", "kind"),
                name="an_item_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(
                fields=("stage", "unit_id", "dimension"), name="one_consensus"
            ),
        ),
        migrations.AddConstraint(
            model_name="stage",
            constraint=models.UniqueConstraint(fields=("study", "key"), name="one_stage"),
        ),
    ]
