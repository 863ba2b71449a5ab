package crawler

import "testing"

func TestActions(t *testing.T) {
	a := newActions(append(DefaultActions(), "Give-Up"))
	for _, tt := range []struct{ path, want string }{
		{"/", ""},
		{"/votes/results", ""},
		{"/how-to-vote", ""},
		{"/article?id=vote7", ""},
		{"/vote", "vote"},
		{"/poll/vote.php?id=7", "vote"},
		{"/poll?do=VOTE&id=7", "vote"},
		{"/poll?vote=7", "vote"},
		{"/account/Sign-Out", "signout"},
		{"/account/log_out.cgi", "logout"},
		{"/logout;jsessionid=0A1B", "logout"},
		{"/account/logout.do;jsessionid=0A1B", "logout"},
		{"/comments/delete/5;jsessionid=0A1B", "delete"},
		{"/logout.html;jsessionid=0A1B", ""},
		{"/pages;logout/list", ""},
		{"/commands/subscribe/", ""}, // of a list, as Redis has it
		{"/commands/subscribe?id=7", "subscribe"},
		{"/commands/7/delete", "delete"},
		{"/commands/greet/delete", "delete"},
		{"/2024/11/05/vote/", ""}, // an article
		{"/2024/11/vote", ""},
		{"/blog/2024/11/05/Vote/", ""},
		{"/2024/11/05/vote/?id=7", "vote"},
		{"/2024/11/05/vote.php", "vote"},
		{"/2024/11/05/my-title/vote/", "vote"}, // on an article
		{"/2024/11/05/7/vote", "vote"},
		{"/2024/11/05/vote/7", "vote"},
		{"/photos/2024/11/05/vote", "vote"},
		{"/2024/17/vote", "vote"},
		{"/2024/vote", "vote"},
		{"/1024/11/vote", "vote"},
		{"/2024/11/32/vote", "vote"},
		{"/shop?add-to-cart=99", "addtocart"},
		{"/shop?x=1;add%2Dto%2Dcart=99", "addtocart"},
		{"/wiki?title=A&action=edit", "action="},
		{"/wiki/action", ""},
		{"/mods.php?action=view&pid=6", ""}, // what is shown
		{"/contest?action=show_winners&sort=default", ""},
		{"/bible.jsp?action=showStrongs&value=7", ""},
		{"/member.php?action=profile&uid=7", ""},
		{"/index.php?Action=Profile;u=7", ""},
		{"/zabbix/zabbix.php?action=host.view&filter_set=1", ""},
		{"/zabbix.php?action=queue.overview.list", ""},
		{"/zabbix.php?action=user.edit&userid=7", "action="},
		{"/zabbix.php?action=map.list.delete", "action="},
		{"/zabbix.php?action=host.view&delete=7", "delete"},
		{"/x.php?action=delete.list", "action="},
		{"/requests.php?action=view&delete=7", "delete"},
		{"/requests.php?do=view&action=fill", "action="},
		{"/wiki?title=A&action=history", "action="},
		{"/wiki?title=A&action=info", "action="},
		{"/misc.php?action=markread", "action="},
		{"/misc.php?action=", "action="},
		{"/poll?action=preview", "action="},
		{"/ratethread.php?tid=7&rating=5&my_post_key=ba479423ef0cce37", "mypostkey="},
		{"/wp-admin/x.php?_wpnonce=12", "wpnonce="},
		{"/admin/shaare/134/pin?token=5d36f7ab06a109e2df928e11fa9cf776871d6c6c", "token="}, // Shaarli
		{"/cart?add=1&id_product=2&token=0F343B0931126A20F133D67C2B018A3B", "token="},      // PrestaShop
		{"/post/5/publish?_token=Xq3-vL0aRk", "token="},                                    // Symfony, Laravel
		{"/files/a.pdf?token=0f343b0931126a20f133d67c2b018a3b", ""},                        // who may read it
		{"/list?token=eyJwYWdlIjoyfQ0f343b0931126a20f133d67c", ""},                         // the next page
		{"/shared?token=0f343b09-3112-6a20-f133-d67c2b018a3b", ""},
		{"/shared?token=17", ""},
		{"/index.php?eID=dumpFile&t=f&f=26169&token=937ebc5ddc8943d4e2dd325260f15b414ea4b13d", ""}, // TYPO3
		{"/download/?token=0f343b0931126a20f133d67c2b018a3b", ""},
		{"/newsletter/view?token=0f343b0931126a20f133d67c2b018a3b", ""},
		{"/admin/clear-cache?type=thumbnails", "admin/clearcache"},
		{"/?purge_cache=1", "purgecache="},
		{"/docs/cli/clear-cache/", ""},
		{"/support/clear-cache/", ""}, // tells how
		{"/cache/how-to/purge-cache/", ""},
		{"/newreply.php?tid=1&replyto=2", "newreply"},
		{"/posting.php?mode=quote&p=17", "mode=quote"},
		{"/posting.php?p=17;Mode=Quote", "mode=quote"},
		{"/market?mode=quotes&s=quote", ""},
		{"/export_handler.php?id=7&csrf_form_key=276ba3", "csrfformkey="},
		{"/doku.php?id=start&do=login&sectok=12", "sectok="},
		{"/posting.php?mode=reply&t=7", "reply"},
		{"/how-to-reply", ""},
		{"/Ticket/Update.html?DefaultStatus=deleted&Status=deleted&SubmitTicket=1&id=5", "submitticket="}, // deletes it
		{"/Ticket/Update.html?Action=Comment;id=5", "action="},
		{"/Ticket/Display.html?id=5;MarkAsSeen=1", "markasseen="},
		{"/Helpers/Toggle/TicketBookmark?id=5", "ticketbookmark"},
		{"/Admin/Global/Scrips.html?MoveScripUp=17&id=0", "movescripup="},
		{"/Ticket/Display.html?id=5", ""},
		{"/Search/Results.html?Query=Status%20%3D%20'deleted'", ""},
		{"/index.php?title=A&veaction=edit&section=2", "veaction="},
		{"/index.php?title=Special:UserLogin&returnto=A", "userlogin?"},
		{"/wiki/Special:CreateAccount?returnto=A", "createaccount?"},
		{"/wiki/Special:UserLogin", ""},
		{"/login/?next=/page/17", "login?"},
		{"/wp-login.php?redirect_to=http%3A%2F%2Fa.example%2F", "wplogin?"},
		{"/ucp.php?redirect=viewtopic.php&mode=register", "register?"},
		{"/login.jsp?os_destination=%2Fx", "login?"},
		{"/api/auth/signin?callbackUrl=%2Fpage%2F17", "signin?"},
		{"/login?from=%2Fjob%2F17%2F", "login?"},
		{"/cas/login?service=https%3A%2F%2Fwww.example.org%2F17", "login?"},
		{"/login?anon=1&g=/timeline", "login?"}, // as Fossil has on each page
		{"/index.php/journal/login?source=%2Findex.php%2Fjournal", "login?"},
		{"/loginpage.xhtml?redirectPage=%2Fdataset.xhtml%3Fid%3D17", "loginpage?"},
		{"/register?to=17%2Fthe-title", "register?"}, // as Question2Answer has on each page
		{"/index.php/login?to=index.php%2Fuser%2Fsam", "login?"},
		{"/login?g=17", ""},
		{"/login?source=extension", ""},
		{"/timeline?g=/login", ""},
		{"/signup?from=header", ""},
		{"/page?from=/17", ""},
		{"/login_page.php?return=%2Fview.php%3Fid%3D17", "loginpage?"},
		{"/login_form?came_from=http%3A%2F%2Fa.example%2F", "loginform?"},
		{"/logout_page.php", "logoutpage"},
		{"/addfav.php?pid=17&referer=index.php", "addfav"},
		{"/login", ""},
		{"/login/?lang=de", ""},
		{"/faq/login/setup?next=2", ""},
		{"/register?from=2026-01-01&to=2026-02-01", ""},
		{"/register?from=01/01/2026&to=01%2F02%2F2026", ""},
		{"/giveup", "giveup"},
		{"/command/remove.html", ""}, // a document
		{"/src/delete.c", ""},
		{"/tree/src/remove.go?id=96795b", ""}, // where sources are browsed
		{"/?a=blob;f=delete.c;hb=HEAD", ""},
		{"/delete.py?id=1", "delete"},
		{"/items/delete.json?id=1", "delete"},
		{"/vote.html", ""},
		{"/vote.html?for=7", "vote"},
		{"/vote/results.html", ""},
		{"/vote/", "vote"},
		{"/item/delete/123", "delete"},
		{"/item/delete/123.html", ""},
		{"/cart/add?id=1", "cart/add"},
		{"/shop/cart/add/17", "cart/add"},
		{"/add?id=1", ""},
		{"/cart/", ""},
		{"/manual.php?topic=delete", ""}, // what is read about
		{"/?searchtags=vote+", ""},       // a list, as Shaarli has for each tag
		{"/posts?tags=delete", ""},
		{"/?category_name=vote&paged=2", ""},
		{"/?tags=5&do=delete", "delete"},
		{"/dictionary?lang=en&word=vote", ""},
		{"/poll?topic=5&do=vote", "vote"},
		{"/search?q=logout&mode=delete", "delete"},
		{"/q?delete=q", "delete"},
		{"/en-US/docs/Web/API/Element/remove", ""}, // a manual
		{"/docs/commands/delete/", ""},
		{"/repo/help/remove", ""},
		{"/repo/help?cmd=delete", ""},
		{"/help/17/delete", "delete"},
		{"/help?do=remove&id=1", "remove"},
		{"/help?delete=17", "delete"},
		{"/help/topics?cmd=delete", "delete"},
		{"/reference/delete/5", "delete"},
		{"/docs/17/delete", "delete"},
		{"/items/5?_method=delete", "delete"},
		{"/docs/intro/delete?confirm=1", "delete"},
		{"/documents/intro/delete", "delete"},
		{"/docs-api/FortranFile/Delete", ""}, // a manual whose name has two words
		{"/apidocs_2x/File/remove/", ""},
		{"/books/user-guide/delete", "delete"}, // a book that is written there
		{"/help-desk/ticket/delete", "delete"},
		{"/docs-api/17/delete", "delete"},
		{"/tags/vote/", ""}, // a list of names, as blogs have
		{"/questions/tagged/delete", ""},
		{"/_category/vote", ""}, // of gitit
		{"/_delete/PageName", "delete"},
		{"/_delete/docs/PageName", "delete"},
		{"/_vote/PageName.html", "vote"},
		{"/delete/PageName", ""},
		{"/docs/_delete/PageName", ""},
		{"/_deleted/PageName", ""},
		{"/tagged/7/delete", "delete"},
		{"/tags/cats/delete", "delete"},
		{"/tags/delete/17", "delete"},
		{"/tags/delete?name=cats", "delete"},
	} {
		if got := a.match("www.example.org", tt.path); got != tt.want {
			t.Errorf("match(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestActionsOfHosts(t *testing.T) {
	a := newActions(DefaultActions())
	for _, tt := range []struct{ host, path, want string }{
		{"docs.example.org", "/books/delete", "delete"},     // a program may run there that documents are written with
		{"someone.github.io", "/tool/commands/delete/", ""}, // it serves files only
		{"tool.readthedocs.io", "/en/latest/delete/", ""},
		{"tool.readthedocs.io", "/en/latest/17/delete/", "delete"},
		{"someone.github.io", "/tool/?delete=17", "delete"},
		{"github.io.example.org", "/tool/delete/", "delete"},
		{"www.example.org", "/cli/remove/", "remove"},
	} {
		if got := a.match(tt.host, tt.path); got != tt.want {
			t.Errorf("match(%q, %q) = %q, want %q", tt.host, tt.path, got, tt.want)
		}
	}
}
