package io.statestore.broker.gateway;

/**
 * Which response topics a gateway can publish to without a risk for its own connection: a
 * broker checks the topic of a message, but hands on any response topic, and would
 * disconnect the gateway that uses a bad one.
 */
final class ResponseTopics {

	/** Mosquitto takes 200, EMQX 128 by default. */
	private static final int MAX_LEVELS = 128;

	private ResponseTopics() {
	}

	static boolean isSafe(String topic) {
		return !topic.startsWith("$") && topic.chars().filter((character) -> character == '/').count() < MAX_LEVELS
				&& topic.codePoints().allMatch(ResponseTopics::isSafe);
	}

	/** Leaves out what MQTT 5 section 1.5.4 lets a receiver refuse. */
	private static boolean isSafe(int codePoint) {
		boolean nonCharacter = (codePoint & 0xFFFE) == 0xFFFE || (codePoint >= 0xFDD0 && codePoint <= 0xFDEF);
		return !nonCharacter && !Character.isISOControl(codePoint)
				&& Character.getType(codePoint) != Character.SURROGATE;
	}

}
