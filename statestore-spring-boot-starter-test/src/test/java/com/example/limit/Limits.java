package com.example.limit;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class Limits {

	@Bean
	RateLimiter reports(StateStoreOperations store) {
		return new RateLimiter(store, "reports", 5, Duration.ofMinutes(1));
	}

}
