package com.example.caching;

import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.stereotype.Service;

@Service
@EnableCaching
class Prices {

	private final PriceSource source;

	Prices(PriceSource source) {
		this.source = source;
	}

	@Cacheable(cacheNames = "prices", sync = true)
	public Price find(String article) {
		return this.source.find(article);
	}

	@CachePut(cacheNames = "prices", key = "#article")
	public Price change(String article, Price price) {
		this.source.change(article, price);
		return price;
	}

}
