package com.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Application with the components of all recipes that share a store. */
@SpringBootApplication(scanBasePackages = { "com.example.caching", "com.example.flags", "com.example.idempotent",
		"com.example.leader", "com.example.limit", "com.example.settings" })
public class RecipesApplication {

	@Bean
	RecordedPrices priceSource() {
		return new RecordedPrices();
	}

}
