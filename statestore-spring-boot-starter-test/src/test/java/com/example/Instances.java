package com.example;

import java.util.ArrayList;
import java.util.List;

import io.statestore.testing.TestTime;

import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts further instances of an application, as clients of the broker of a test. */
public final class Instances {

	private Instances() {
	}

	/**
	 * Starts an instance.
	 * @param application the application
	 * @param name client id of the instance
	 * @param port of the broker
	 * @param time of the test
	 * @param properties further properties, in the form {@code name=value}
	 * @return the running application
	 */
	public static ConfigurableApplicationContext start(Class<?> application, String name, int port, TestTime time,
			String... properties) {
		List<String> arguments = new ArrayList<>();
		arguments.add("--statestore.client-id=" + name);
		arguments.add("--statestore.port=" + port);
		for (String property : properties) {
			arguments.add("--" + property);
		}
		return new SpringApplicationBuilder(application).bannerMode(Banner.Mode.OFF)
			.initializers((context) -> context.getBeanFactory().registerSingleton("testTime", time))
			.run(arguments.toArray(String[]::new));
	}

}
