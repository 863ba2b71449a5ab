package trap

import "testing"

func TestPage_IsWayBack(t *testing.T) {
	for _, tt := range []struct {
		path, via string
		want      bool
	}{
		{"/login_page.php?return=%2Fview.php%3Fid%3D17", "/view.php?id=17", true},
		{"/anmelden?lang=de&ziel=%2Fa%2Fb", "/a/b", true},
		{"/user?destination=forum/32", "/forum/32", true},
		{"/g/login.php?referer=displayimage.php%3Falbum%3D3%26pid%3D30", "/g/displayimage.php?album=3&pid=30", true},
		{"/login?to=http%3A%2F%2Fa.example%2Fa", "/a", true},
		{"/login?to=/", "/", true},
		{"/login_anon.php?return=%2Fa", "/login_page.php?return=%2Fa", true},
		{"/bin/login/Main/WebHome?foswiki_origin=GET%2cview%2c/bin/view/Main/WebHome", "/bin/view/Main/WebHome", true},
		{"/login?from=/b/a", "/a", false},
		{"/login?to=http%3A%2F%2Fb.example%2Fa", "/a", false},
		{"/reviews?item=17", "/item/17", false},
		{"/login?to=/b", "/a", false},
		{"/index.php?r=post/index&page=2", "/index.php?r=post/index", false},
		{"/blame?file=b.txt", "/a/b.txt", false},
		{"/blame?file=a/b.txt", "/dir/a/b.txt", false},
		{"/a/b", "/a", false},
		{"/?q=%zz/", "/", false},
	} {
		if got := (Page{URL: at(tt.path), Via: at(tt.via)}).isWayBack(); got != tt.want {
			t.Errorf("isWayBack of %q on %q = %v, want %v", tt.path, tt.via, got, tt.want)
		}
	}
}
