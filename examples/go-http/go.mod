module example.com/shop/storefront

go 1.23
