package io.statestore.sample.room;

import java.nio.file.Path;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the control room.
 *
 * @param directory directory of the store and its history
 * @param broker the broker to start
 * @param presses names of the presses to start
 */
@ConfigurationProperties("sample")
record RoomProperties(Path directory, Broker broker, List<String> presses) {

	RoomProperties {
		presses = List.copyOf(presses);
	}

	/** A broker. */
	enum Broker {

		/** Our broker, in this process, with a history. */
		EMBEDDED,

		/** Mosquitto, in a process of its own, and our gateway in this process. */
		MOSQUITTO

	}

}
