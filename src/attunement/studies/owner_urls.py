"""The addresses of the owner's pages, under ``/owner/``."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path

from attunement.studies.views.owner import delphi, overview, people, work
from attunement.studies.views.owner.access import Login

app_name = "owner"
urlpatterns = [
    path("login/", Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", overview.overview, name="overview"),
    path("coverage/", overview.coverage_page, name="coverage"),
    path("stage/<int:pk>/open/", overview.open_stage, name="open_stage"),
    path("stage/<int:pk>/close/", overview.close_stage, name="close_stage"),
    path("last-day/", overview.set_last_day, name="set_last_day"),
    path("close/", overview.close_study, name="close_study"),
    path("reopen/", overview.reopen_study, name="reopen_study"),
    path("log/", overview.log_page, name="log"),
    path("raters/", work.raters, name="raters"),
    path("agreement/", work.agreement, name="agreement"),
    path("differing/", work.differing, name="differing"),
    path("differing/<int:stage_pk>/<int:pk>/", work.adjudicate, name="adjudicate"),
    path("panel/", delphi.panel, name="panel"),
    path("panel/<int:pk>/", delphi.one_round, name="panel_round"),
    path("panel/<int:pk>/item/<slug:id>/", delphi.item, name="panel_item"),
    path("panel/<int:pk>/proposals/", delphi.proposals, name="panel_proposals"),
    path("panel/<int:pk>/codes/", delphi.codes, name="panel_codes"),
    path("panel/<int:pk>/file/<str:what>", delphi.download, name="panel_file"),
    path("panel/decision/<int:pk>/back/", delphi.take_back, name="panel_take_back"),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path("people/places/", people.add_places, name="add_places"),
    path("people/links/", people.link_table, name="link_table"),
    path("people/due/", people.due, name="due"),
    path("people/table/", people.table, name="table"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/invited/", people.mark_invited, name="mark_invited"),
    path("people/<int:pk>/reminded/", people.mark_reminded, name="mark_reminded"),
    path("people/<int:pk>/revoke/", people.revoke, name="revoke"),
    path("people/<int:pk>/renew/", people.renew, name="renew"),
    path("people/<int:pk>/replace/", people.replace, name="replace"),
    path("people/<int:pk>/withdraw/", people.withdraw, name="withdraw"),
]
