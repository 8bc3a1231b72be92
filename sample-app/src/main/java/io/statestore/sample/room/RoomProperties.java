package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of the control room.
 *
 * @param directory directory of the store and its history, {@code null} for the default
 * @param broker the broker to start
 * @param brokers number of brokers, 1 or 3. Three form one store: docs/cluster.md
 * @param presses names of the presses to start
 * @param pause time after which a paused press continues, at least one second. Longer
 * than the lease, so that another press takes over
 * @param cut time for which the connection of a press is cut
 */
@ConfigurationProperties("sample")
record RoomProperties(@Nullable Path directory, Broker broker, @DefaultValue("1") int brokers, List<String> presses,
		@DefaultValue("12s") Duration pause, @DefaultValue("10s") Duration cut) {

	/**
	 * The minimum is a second because the shell that continues a paused press counts in
	 * seconds.
	 */
	private static final String SHORT = "It must be at least one second, such as 12s";

	RoomProperties {
		presses = List.copyOf(presses);
		require(brokers == 1 || brokers == 3, "sample.brokers", brokers,
				"It must be 1, or 3 for a store that survives the loss of any one of them");
		require(brokers == 1 || broker == Broker.EMBEDDED, "sample.brokers", brokers,
				"Three brokers are ours. Remove 'sample.broker', or set 'sample.brokers' to 1");
		require(pause.toSeconds() >= 1, "sample.pause", pause, SHORT);
		require(cut.toSeconds() >= 1, "sample.cut", cut, SHORT);
	}

	/**
	 * Checks a property.
	 * @throws InvalidConfigurationPropertyValueException if {@code valid} is
	 * {@code false}
	 */
	static void require(boolean valid, String property, Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(property, value, reason);
		}
	}

	/** Returns whether three brokers form one store. */
	boolean isCluster() {
		return this.brokers > 1;
	}

	Path data() {
		Path data = (this.directory != null) ? this.directory
				: data(System.getenv("XDG_STATE_HOME"), System.getProperty("user.home"));
		return data.toAbsolutePath().normalize();
	}

	/**
	 * Returns the default directory.
	 * @param stateHome {@code XDG_STATE_HOME}, the directory for the state of all
	 * programs; ignored unless absolute
	 * @param home the user's home directory; {@code "?"} if there is none
	 * @throws InvalidConfigurationPropertyValueException if there is neither directory
	 */
	static Path data(@Nullable String stateHome, @Nullable String home) {
		if (stateHome != null && Path.of(stateHome).isAbsolute()) {
			return Path.of(stateHome, "packaging-line");
		}
		if (home == null || !Path.of(home).isAbsolute()) {
			throw new InvalidConfigurationPropertyValueException("sample.directory", home,
					"The user has no home directory. Choose a directory, such as --sample.directory=target/line");
		}
		return Path.of(home, ".local", "state", "packaging-line");
	}

	/** Kinds of broker. */
	enum Broker {

		/** Our broker, in this process. */
		EMBEDDED,

		/** Mosquitto, in a separate process, with our gateway in this process. */
		MOSQUITTO

	}

}
