package io.statestore.sample;

import io.statestore.sample.broker.BrokerApplication;
import io.statestore.sample.press.PressApplication;
import io.statestore.sample.room.ControlRoomApplication;

import org.springframework.boot.SpringApplication;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * A packaging line. Without arguments, runs its control room, which starts two presses.
 * With {@code --sample.name=press-3}, runs another press. With
 * {@code --sample.brokers=3}, the control room also starts three brokers, which run with
 * {@code --sample.node}. Start reading with the {@link io.statestore.sample.press}
 * package.
 */
public final class SampleApplication {

	private SampleApplication() {
	}

	public static void main(String[] args) {
		create(args).run(args);
	}

	/** Returns the application selected by the arguments or the environment. */
	static SpringApplication create(String... args) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(args));
		if (environment.containsProperty("sample.node")) {
			return application(BrokerApplication.class, "broker");
		}
		return environment.containsProperty("sample.name") ? application(PressApplication.class, "press")
				: application(ControlRoomApplication.class, "room");
	}

	/**
	 * Returns an application whose profile selects a configuration file, such as
	 * {@code application-press.yml}.
	 */
	private static SpringApplication application(Class<?> source, String profile) {
		SpringApplication application = new SpringApplication(source);
		application.setAdditionalProfiles(profile);
		return application;
	}

}
