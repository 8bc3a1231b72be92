package io.statestore.client.mqtt.internal;

import org.jspecify.annotations.Nullable;

/** Server References in failures of connections (MQTT 5 section 4.11). */
final class ServerReferences {

	private static final int MAX_SHOWN_LENGTH = 100;

	private ServerReferences() {
	}

	/**
	 * Returns the Server Reference with which a broker has refused or ended a connection,
	 * or {@code null} if there is none.
	 * @param failure the root cause
	 */
	static @Nullable String of(Throwable failure) {
		if (failure instanceof ConnectionRefusedException refused) {
			return of(refused.reasonCode(), refused.serverReference());
		}
		return (failure instanceof BrokerDisconnectException disconnect)
				? of(disconnect.reasonCode(), disconnect.serverReference()) : null;
	}

	private static @Nullable String of(int reasonCode, @Nullable String reference) {
		boolean redirected = reasonCode == ReasonCode.USE_ANOTHER_SERVER || reasonCode == ReasonCode.SERVER_MOVED;
		return redirected ? reference : null;
	}

	/** Returns a reference for logs and messages, because the broker has chosen it. */
	static String shown(String reference) {
		StringBuilder shown = new StringBuilder();
		reference.codePoints()
			.limit(MAX_SHOWN_LENGTH)
			.map((c) -> Character.isISOControl(c) ? '?' : c)
			.forEach(shown::appendCodePoint);
		return "'" + shown + '\'';
	}

}
