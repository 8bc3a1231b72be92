package com.example.flags;

import org.springframework.stereotype.Component;

@Component
class Oven {

	private final Flag<Boolean> fastCooling;

	private final Flag<Integer> batchSize;

	Oven(Flag<Boolean> fastCooling, Flag<Integer> batchSize) {
		this.fastCooling = fastCooling;
		this.batchSize = batchSize;
	}

	String bake() {
		return this.batchSize.value() + " loaves, " + (this.fastCooling.value() ? "fast" : "slow") + " cooling";
	}

}
