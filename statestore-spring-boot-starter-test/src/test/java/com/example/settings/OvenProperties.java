package com.example.settings;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.Assert;

/** A valid set of properties. */
@ConfigurationProperties("oven")
record OvenProperties(int degrees, Duration interval) {

	OvenProperties {
		Assert.isTrue(degrees > 0 && degrees <= 300, "degrees must be between 1 and 300");
		Assert.isTrue(interval != null && interval.toMillis() >= 100, "interval must be at least 100 ms");
	}

}
