"""The pages of a conversation with a chatbot under test.

No request waits for the chatbot: what is said is stored, and the page asks for the reply, which the
worker writes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from attunement.studies import flow
from attunement.studies.audit import log
from attunement.studies.chat import conversation
from attunement.studies.config import ChatThenRate
from attunement.studies.holding import Refused, writing
from attunement.studies.models import Assignment, Chat, Participant
from attunement.studies.opened import described
from attunement.studies.protocols import chatting
from attunement.studies.saving import number_of, seconds_of
from attunement.studies.views.access import by_link, context_of


def show_chat(request: HttpRequest, participant: Participant, chat: Chat) -> HttpResponse:
    """Show a conversation: to be begun or gone on with, or how it ended."""
    return _page(request, participant, chat)


def _page(
    request: HttpRequest,
    participant: Participant,
    chat: Chat,
    *,
    refused: str = "",
    text: str = "",
) -> HttpResponse:
    study = described()
    assert isinstance(study.protocol, ChatThenRate)
    language = translation.get_language() or study.language
    scenario, warning = study.protocol.scenario, study.warning
    state = conversation.state_of(chat)
    context = context_of(
        participant,
        assignment=chat.assignment,
        chat=chat,
        state=state,
        scenario=scenario[language] if scenario else "",
        warning=warning[language] if warning else "",
        sessions=study.protocol.sessions,
        later=_later(chat).exists(),
        memory_kept=study.protocol.memory == "kept",
        longest=conversation.LONGEST_MESSAGE,
        client=secrets.token_hex(16),
        refused=refused,
        text=text,
    )
    template = "studies/chat_ended.html" if state.ended else "studies/chat.html"
    return render(request, template, context, status=409 if refused else 200)


@require_GET
@by_link
def messages(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Return what is new in a conversation, from the turn ``since`` on."""
    chat = _own(participant, pk)
    since = number_of(request.GET.get("since", ""))
    return JsonResponse(as_json(conversation.state_of(chat), since=since or 0))


def as_json(state: conversation.State, *, since: int = 0) -> dict[str, Any]:
    """Return a conversation as the page's script gets it: nothing of the chatbot but its words."""
    return {
        "messages": [
            {
                "n": m.position,
                "role": m.role,
                "text": m.text,
                "status": m.status,
                "client": m.client,
            }
            for m in state.messages
            if m.position >= since
        ],
        "turns": state.turns,
        "pending": state.pending,
        "failed": state.failed,
        "ended": state.ended,
        "canWrite": state.can_write,
        "canFinish": state.can_finish,
        "full": state.full,
    }


@require_POST
@by_link
def say(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Store what the participant says."""
    text, client = request.POST.get("text", ""), request.POST.get("client", "")
    return _change(
        request,
        participant,
        pk,
        lambda chat: conversation.say(chat, text, client=client),
        text=text,
    )


@require_POST
@by_link
def again(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Ask once more for a reply that failed."""
    return _change(request, participant, pk, conversation.try_again)


@require_POST
@by_link
def end(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """End the conversation: broken off with ``stop``, else because enough was said."""
    stop = request.POST.get("stop") == "1"

    def change(chat: Chat) -> None:
        if conversation.end(chat, stopped=stop):
            done = "chat stopped" if stop else "chat ended"
            log(participant.code, done, page=chat.assignment_id)

    return _change(request, participant, pk, change)


@require_POST
@by_link
def skip(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """After a conversation was stopped, leave out those that would follow."""

    def change(chat: Chat) -> None:
        if not chat.stopped:
            raise Refused(_("This conversation has not been stopped."))
        with writing():
            for page in [chat.assignment, *_later(chat)]:
                one = chatting.chat_of(page)
                assert one is not None, "only conversations are left out"
                conversation.end(one, stopped=True)
                page.done_at = timezone.now()
                page.save(update_fields=["done_at"])
            log(participant.code, "chats left out", page=chat.assignment_id)

    response = _change(request, participant, pk, change)
    if response.status_code == 302:
        return HttpResponseRedirect(context_of(participant)["home"])
    return response


def _change(
    request: HttpRequest,
    participant: Participant,
    pk: int,
    change: Callable[[Chat], None],
    *,
    text: str = "",
) -> HttpResponse:
    """Change a conversation, for the page's script or for a browser that runs none."""
    chat = _own(participant, pk)
    scripted = "application/json" in request.headers.get("Accept", "")
    refused = ""
    if flow.is_closed() or participant.finished_at is not None:
        refused = _("The study takes no more answers.")
    elif chat.assignment.done_at is not None:
        refused = _("This conversation has ended.")
    else:
        try:
            change(chat)
        except Refused as error:
            refused = str(error)
    _add_seconds(chat, request.POST.get("seconds", ""))
    chat = _own(participant, pk)
    if scripted:
        said = {**as_json(conversation.state_of(chat)), "refused": refused}
        return JsonResponse(said, status=409 if refused else 200)
    if refused:
        return _page(request, participant, chat, refused=refused, text=text)
    return HttpResponseRedirect(f"{context_of(participant)['home']}a/{pk}/")


def _add_seconds(chat: Chat, sent: str) -> None:
    seconds = seconds_of(sent)
    if seconds:
        page = Assignment.objects.filter(pk=chat.assignment_id)
        page.update(seconds=F("seconds") + seconds)


def _own(participant: Participant, pk: int) -> Chat:
    """Return a conversation of this participant that they have come to; 404 for any other."""
    page = get_object_or_404(flow.pages_of(participant), pk=pk)
    step = flow.next_of(participant)
    if step.where == "consent":
        raise Http404
    if step.assignment is not None and step.assignment.position < page.position:
        raise Http404
    chat = chatting.chat_of(page)
    if chat is None:
        raise Http404
    return chat


def _later(chat: Chat):  # type: ignore[no-untyped-def]
    """Return the pages of the participant's conversations that come after this one."""
    page = chat.assignment
    return Assignment.objects.filter(
        participant_id=page.participant_id,
        stage=page.stage,
        position__gt=page.position,
        prefill__has_key=chatting.CONVERSATION,
        done_at=None,
    ).order_by("position")
