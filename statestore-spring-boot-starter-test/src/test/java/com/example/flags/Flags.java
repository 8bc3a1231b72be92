package com.example.flags;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class Flags {

	@Bean
	Flag<Boolean> fastCooling() {
		return new Flag<>("flags/fast-cooling", Flag::onOrOff, false);
	}

	@Bean
	Flag<Integer> batchSize() {
		return new Flag<>("flags/batch-size", Integer::valueOf, 10);
	}

}
