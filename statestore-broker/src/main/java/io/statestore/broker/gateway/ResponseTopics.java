package io.statestore.broker.gateway;

/**
 * Determines which response topics a gateway can safely publish to. A broker passes on
 * any response topic, but would disconnect the gateway for publishing to an invalid one.
 */
final class ResponseTopics {

	/** Maximum number of topic levels: 200 in Mosquitto, 128 in EMQX by default. */
	private static final int MAX_LEVELS = 128;

	private ResponseTopics() {
	}

	static boolean isSafe(String topic) {
		return !topic.startsWith("$") && topic.chars().filter((character) -> character == '/').count() < MAX_LEVELS
				&& topic.codePoints().allMatch(ResponseTopics::isSafe);
	}

	/**
	 * Returns whether receivers must accept a character (MQTT 5 section 1.5.4).
	 */
	private static boolean isSafe(int codePoint) {
		boolean nonCharacter = (codePoint & 0xFFFE) == 0xFFFE || (codePoint >= 0xFDD0 && codePoint <= 0xFDEF);
		return !nonCharacter && !Character.isISOControl(codePoint)
				&& Character.getType(codePoint) != Character.SURROGATE;
	}

}
