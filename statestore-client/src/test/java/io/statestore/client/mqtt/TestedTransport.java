package io.statestore.client.mqtt;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Locale;

import io.statestore.test.Mosquitto;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** The transport that this run of the tests uses: a run for each of them. */
public final class TestedTransport {

	private static final String PROPERTY = "statestore.test.transport";

	public static final Transport TRANSPORT = Transport
		.valueOf(System.getProperty(PROPERTY, "paho").toUpperCase(Locale.ROOT));

	private TestedTransport() {
	}

	/** Options to change. */
	public static ConnectionOptions.Builder options() {
		return ConnectionOptions.builder().transport(TRANSPORT);
	}

	/** Options of a connection to a Mosquitto. */
	public static ConnectionOptions.Builder options(Mosquitto mosquitto) {
		return options().host("127.0.0.1")
			.port(mosquitto.port())
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200));
	}

	/** How the names of threads begin of which a connection has exactly one. */
	public static String receiver() {
		return (TRANSPORT == Transport.PAHO) ? "MQTT Rec" : "statestore-mqtt";
	}

	/** About Paho, or what only Paho allows. */
	@Target({ ElementType.TYPE, ElementType.METHOD })
	@Retention(RetentionPolicy.RUNTIME)
	@DisabledIfSystemProperty(named = PROPERTY, matches = "netty")
	public @interface PahoOnly {

	}

}
