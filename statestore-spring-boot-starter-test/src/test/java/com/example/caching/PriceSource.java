package com.example.caching;

/** Slow source of prices, such as a database. */
public interface PriceSource {

	Price find(String article);

	void change(String article, Price price);

}
