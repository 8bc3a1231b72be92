package io.statestore.sample;

import java.util.ArrayList;
import java.util.List;

import org.springframework.context.ConfigurableApplicationContext;

/** A press in this process, with a web server on a free port for the actuator. */
final class WebPress {

	private WebPress() {
	}

	static ConfigurableApplicationContext run(String... arguments) {
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add("--sample.name=press-1");
		all.add("--server.port=0");
		all.add("--spring.main.web-application-type=servlet");
		String[] array = all.toArray(String[]::new);
		return SampleApplication.create(array).run(array);
	}

}
