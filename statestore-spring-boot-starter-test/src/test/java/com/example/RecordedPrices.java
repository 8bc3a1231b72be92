package com.example;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import com.example.caching.Price;
import com.example.caching.PriceSource;

/** Source of prices that counts its reads. */
public final class RecordedPrices implements PriceSource {

	private static final Price DEFAULT = new Price(BigDecimal.ONE, "EUR");

	private final Map<String, Price> prices = new ConcurrentHashMap<>();

	private final AtomicInteger reads = new AtomicInteger();

	@Override
	public Price find(String article) {
		this.reads.incrementAndGet();
		return this.prices.getOrDefault(article, DEFAULT);
	}

	@Override
	public void change(String article, Price price) {
		this.prices.put(article, price);
	}

	/**
	 * Returns the number of reads.
	 * @return number since the start
	 */
	public int reads() {
		return this.reads.get();
	}

}
