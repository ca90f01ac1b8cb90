"""Amazon: a shop with products, reviews and questions, a cart, a wish list and orders."""
