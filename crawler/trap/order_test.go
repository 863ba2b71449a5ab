package trap

import (
	"fmt"
	"testing"
)

func TestOrderOf(t *testing.T) {
	for _, tt := range []struct{ pathQuery, path, list, by string }{
		{"/issues?sort=id%3Adesc%2Csubject", "/issues", "/issues", "sort&"},
		{"/issues?page=2&sort=id", "/issues", "/issues?page=2", "sort&"},
		{"/shop?product_list_order=price&product_list_dir=desc&p=3", "/shop", "/shop?p=3", "product_list_order&product_list_dir&"},
		{"/list?order=title&sort=asc", "/list", "/list", "order&sort&"}, // Drupal
		{"/list?order=DESC", "/list", "/list", "order&"},
		{"/buglist.cgi?order=bug_id%20DESC&id=3", "/buglist.cgi", "/buglist.cgi?id=3", "order&"}, // Bugzilla
		{"/buglist.cgi?order=short_desc%2Cbug_id+desc", "/buglist.cgi", "/buglist.cgi", "order&"},
		{"/list?orderBy=x&a", "/list", "/list?a", "orderBy&"},
		{"/index.php?board=1.20;sort=subject;desc", "/index.php", "/index.php?board=1.20", "sort&desc&"}, // SMF
		{"/status.cgi?host=all&sorttype=2&sortoption=3&sorttype=1", "/status.cgi", "/status.cgi?host=all",
			"sorttype&sortoption&sorttype&"}, // Nagios
		{"/files?dir=photos&sort=name", "/files", "/files?dir=photos", "sort&"},
		{"/files?dir=DESC&sort=name", "/files", "/files", "dir&sort&"},
		{"/files?dir=d&sort=name", "/files", "/files", "dir&sort&"},
		{"/index.php?a=1;sort=subject;b=2", "/index.php", "/index.php?a=1;b=2", "sort&"},
		{"/birds?order=strigiformes", "", "", ""},
		{"/birds?order=owls%20and,hawks", "", "", ""},
		{"/orders?order=17", "", "", ""},
		{"/list?dir=src", "", "", ""},
		{"/sort?q=order", "", "", ""},
		{"/sort", "", "", ""},
	} {
		path, list, by := orderOf(tt.pathQuery)
		if by != tt.by || by != "" && (path != tt.path || list != tt.list) {
			t.Errorf("orderOf(%q) = %q, %q, %q", tt.pathQuery, path, list, by)
		}
	}
}

// sortedList is a list of entries in pages of ten, which can be sorted by columns; each order leads to further ones. Of each order
// so many pages are shown.
func sortedList(page, order, shown int, entry func(order, i int) string) []URL {
	links := []URL{at("/list")}
	for i := range 10 {
		links = append(links, at(entry(order, 10*page+i)))
	}
	for i := range shown {
		links = append(links, at(listPage(i, order)))
	}
	for column := range 5 {
		links = append(links, at(listPage(page, 5*order+column+1)))
	}
	return links
}

func listPage(page, order int) string {
	switch {
	case page == 0 && order == 0:
		return "/list"
	case order == 0:
		return fmt.Sprintf("/list?page=%d", page)
	}
	return fmt.Sprintf("/list?page=%d&sort=%d", page, order)
}

// visitList visits the pages of a list breadth first, so many orders of it, and returns how many of them were suspected.
func visitList(d *Detector, shown, orders int, entry func(order, i int) string) (suspected int) {
	d.Visit(Page{URL: at("/"), Links: []URL{at("/list")}, New: 1})
	for order := range orders {
		for page := range shown {
			u, via := at(listPage(page, order)), at(listPage(page, max(order-1, 0)/5))
			if page > 0 {
				via = at(listPage(0, order))
			}
			if f, bad := d.Suspect(u, via, today); bad {
				suspected += one(f.Kind == Orders)
				continue
			}
			links := sortedList(page, order, shown, entry)
			d.Visit(Page{URL: u, Via: via, Links: links, New: len(links)})
		}
	}
	return suspected
}

// Ensure that a list is visited in one order and a few more when these lead to nothing new, and in all when they do.
func TestDetector_Orders(t *testing.T) {
	if got := visitList(New(Options{}), 5, 100, func(_, i int) string { return fmt.Sprintf("/entry/%d", i) }); got != 486 {
		t.Errorf("%d of 495 pages in other orders are suspected, want all but 8 and the one that has no other name", got)
	}
	if got := visitList(New(Options{}), 1, 30, func(order, i int) string { return fmt.Sprintf("/entry/%d", 7*order+i) }); got > 0 {
		t.Errorf("%d pages of a list that shows other entries in each order are suspected", got)
	}
	if got := visitList(New(Options{Orders: -1}), 5, 30, func(_, i int) string { return fmt.Sprintf("/entry/%d", i) }); got > 0 {
		t.Errorf("%d pages are suspected although orders do not matter", got)
	}
	// One that is known in one order only, with entries that are known from elsewhere, has a second page and a hundredth.
	d := New(Options{})
	for page := range 100 {
		u := at(fmt.Sprintf("/all?sort=new&page=%d", page))
		if f, bad := d.Suspect(u, at("/"), today); bad {
			t.Fatalf("page %d is suspected: %v", page, f)
		}
		d.Visit(Page{URL: u, Via: at("/"), Links: []URL{at("/")}})
	}
}

// Ensure that a list whose further orders were put aside before the crawl was started anew has none after it.
func TestDetector_OrdersAreRestored(t *testing.T) {
	d := New(Options{})
	visitList(d, 5, 100, func(_, i int) string { return fmt.Sprintf("/entry/%d", i) })
	u := at(listPage(1, 77))
	f, _ := d.Suspect(u, at("/list"), today)
	d = New(Options{})
	d.Restore(u, f)
	d.Visit(Page{URL: at("/list"), Links: []URL{at("/list?page=1")}, New: 1})
	if _, bad := d.Suspect(u, at("/list"), today); !bad {
		t.Error("a further order is asked for after the crawl was started anew")
	}
}

// Ensure that further orders of directories are left alone when those of others led to nothing new, by the same parameters, also
// when the crawl is started anew; and that a list is visited all the same which was not asked for in any order.
func TestDetector_OrdersOfDirectories(t *testing.T) {
	d, asked := New(Options{}), 0
	visit := func(path string, via URL, links ...URL) {
		if _, bad := d.Suspect(at(path), via, today); bad {
			return
		}
		asked++
		d.Visit(Page{URL: at(path), Via: via, Links: links, New: len(links)})
	}
	orders := func(dir string) (urls []URL) {
		for _, by := range []string{"name", "size", "time"} {
			for _, order := range []string{"asc", "desc"} {
				urls = append(urls, at(dir+"?sort="+by+"&order="+order))
			}
		}
		return urls
	}
	directory := func(dir string) {
		file := at(dir + "a.txt")
		visit(dir, at("/"), append(orders(dir), file)...)
		for _, u := range orders(dir) {
			visit(u.PathQuery, at(dir), append(orders(dir), file)...)
		}
	}
	for i := range 100 {
		directory(fmt.Sprintf("/%d/", i))
	}
	if asked != 100+32 {
		t.Errorf("%d listings of 100 directories were asked for, want 100 and 32 in other orders", asked)
	}
	f, _ := d.Suspect(at("/99/?sort=name&order=desc"), at("/99/"), today)
	if want := "http://a.example/*?sort&order"; f.Place != want {
		t.Errorf("the place is %q, want %q", f.Place, want)
	}
	for _, u := range []string{"/new?sort=name&order=asc", "/0/?orderby=name"} {
		if _, bad := d.Suspect(at(u), at("/"), today); bad {
			t.Errorf("%s is suspected", u)
		}
	}
	d, asked = New(Options{}), 0
	d.Restore(at("/99/?sort=name&order=desc"), f)
	for i := range 100 {
		directory(fmt.Sprintf("/%d/", i))
	}
	if asked != 100 {
		t.Errorf("%d listings of 100 directories were asked for when the crawl was started anew, want 100", asked)
	}
}

// Ensure that directories that are named in a parameter are all visited, although each stands in an order and its links lead to no
// more than further ones.
func TestDetector_DirectoriesInAnOrder(t *testing.T) {
	d := New(Options{})
	folder := func(name string) URL { return at("/files?dir=" + name + "&sort=name") }
	visit := func(u, via URL, links ...URL) {
		if f, bad := d.Suspect(u, via, today); bad {
			t.Fatalf("%s is suspected: %v", u.PathQuery, f)
		}
		d.Visit(Page{URL: u, Via: via, Links: links, New: len(links)})
	}
	var years []URL
	for year := range 20 {
		years = append(years, folder(fmt.Sprint(1990+year)))
	}
	visit(at("/files"), at("/"), years...)
	for _, year := range years {
		visit(year, at("/files"), at(year.PathQuery+"&order=desc"), folder(year.PathQuery[len("/files?dir="):][:4]+"%2F01"))
	}
	for year := range 20 {
		visit(folder(fmt.Sprintf("%d%%2F01", 1990+year)), years[year], at(fmt.Sprintf("/download/%d", year)))
	}
}

// Ensure that kinds of things, which are named as orders are and handed on to their photos, are all visited, as each says what no
// other has said.
func TestDetector_KindsThatAreHandedOn(t *testing.T) {
	d := New(Options{})
	d.Visit(Page{URL: at("/"), Links: []URL{at("/kinds"), at("/photos")}, New: 2})
	for kind := range 60 {
		u := at(fmt.Sprintf("/kinds?sort=%d", kind))
		if f, bad := d.Suspect(u, at("/kinds"), today); bad {
			t.Fatalf("kind %d is suspected: %v", kind, f)
		}
		said := Text{Words: 60, Sample: [8]uint64{1, 2, 3}} // as all of them do
		for i := range 5 {
			said.Sample[3+i] = uint64(10 + 5*kind + i)
		}
		d.Visit(Page{URL: u, Via: at("/kinds"), Links: []URL{at(fmt.Sprintf("/photos?sort=%d", kind))}, New: 1, Text: said})
	}
}

// Ensure that an order which a list hands on, to its report and its table to download, is nothing new, as in Redmine; and that an
// order which leads to what is not known without it is.
func TestDetector_OrdersThatAreHandedOn(t *testing.T) {
	for _, tt := range []struct {
		plain []string // what the list leads to that is in no order
		want  int
	}{
		{[]string{"/times/report?issue=%d", "/times.csv?issue=%d"}, 9},
		{nil, 241},
	} {
		d, asked := New(Options{}), 0
		for order := range 241 {
			list := "/times?issue=1"
			sort := func(order int) string { return fmt.Sprintf("&sort=%d", order) }
			u, via := at(list+sort(order)), at(list+sort((order-1)/5))
			links := []URL{at("/entry/1"), at("/times/report?issue=1" + sort(order)), at("/times.csv?issue=1" + sort(order))}
			if order == 0 {
				u, via, links = at(list), at("/"), []URL{at("/entry/1")}
				for _, p := range tt.plain {
					links = append(links, at(fmt.Sprintf(p, 1)))
				}
			} else if (order-1)/5 == 0 {
				via = at(list)
			}
			for column := range 5 {
				links = append(links, at(list+sort(5*order+column+1)))
			}
			if _, bad := d.Suspect(u, via, today); bad {
				continue
			}
			asked++
			d.Visit(Page{URL: u, Via: via, Links: links, New: len(links)})
		}
		if asked != tt.want {
			t.Errorf("%d of 241 orders of a list that leads to %q were asked for, want %d", asked, tt.plain, tt.want)
		}
	}
}
