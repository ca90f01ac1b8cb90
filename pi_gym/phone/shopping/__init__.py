"""The shop: products, the cart, orders."""
