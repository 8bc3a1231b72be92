package io.statestore.protocol;

import java.util.List;

/**
 * Encoder and decoder of administration requests for MQTT sessions, and of their answers.
 * See {@link Administration} for their topics.
 * <p>
 * A request for sessions is an array of bulk strings: {@code SESSIONS}, and the option
 * {@code TOKEN} with the token. The answer has the form of the reply to a SCAN. In place
 * of keys, it contains arrays of names and values, one for each session. A receiver
 * ignores unknown names. {@code ENDSESSION} with a client id is answered with the number
 * of sessions that were ended, 1 or 0.
 */
public final class SessionAdministration {

	static final Bytes SESSIONS = RespReader.ascii("SESSIONS");

	static final Bytes END = RespReader.ascii("ENDSESSION");

	private static final String CLIENT = "client";

	private static final String PRINCIPAL = "principal";

	private static final String CONNECTED = "connected";

	private static final String REMAINING = "remaining";

	private static final String SUBSCRIPTION_COUNT = "subscriptions";

	private static final String QUEUED_COUNT = "queued";

	private static final String BYTES = "bytes";

	private SessionAdministration() {
	}

	/**
	 * Encodes a request for sessions.
	 * @param query the request
	 * @return the payload
	 */
	public static byte[] encode(SessionQuery query) {
		return AdministrationFormat.query(SESSIONS, query.token());
	}

	/** Decodes a request for sessions from its elements. */
	static SessionQuery decodeQuery(List<Bytes> elements) {
		return new SessionQuery(AdministrationFormat.token(elements));
	}

	/**
	 * Encodes a request that ends a session.
	 * @param end the request
	 * @return the payload
	 */
	public static byte[] encode(SessionEnd end) {
		return AdministrationFormat.array(List.of(END, Bytes.of(end.clientId())));
	}

	/** Decodes a request that ends a session from its elements. */
	static SessionEnd decodeEnd(List<Bytes> elements) {
		if (elements.size() != 2) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		String clientId = AdministrationFormat.text(elements.get(1));
		if (clientId.isEmpty()) {
			throw RespReader.syntaxError();
		}
		return new SessionEnd(clientId);
	}

	/**
	 * Encodes the answer to a request for sessions.
	 * @param page the answer
	 * @return the payload
	 */
	public static byte[] encode(SessionPage page) {
		return AdministrationFormat.page(page.sessions(), SessionAdministration::encode,
				(page.token() != null) ? Bytes.of(page.token()) : null);
	}

	private static byte[] encode(StoredSession session) {
		return new Fields().with(CLIENT, session.client())
			.with(PRINCIPAL, session.principal())
			.with(CONNECTED, session.connected() ? 1 : 0)
			.with(REMAINING, session.remaining())
			.with(SUBSCRIPTION_COUNT, session.subscriptionCount())
			.with(QUEUED_COUNT, session.queuedCount())
			.with(BYTES, session.bytes())
			.encode();
	}

	/**
	 * Decodes the answer to a request for sessions.
	 * @param payload the payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or with the reason and text
	 * of an error answer
	 */
	public static SessionPage decodePage(Bytes payload) {
		Reply.Page page = AdministrationFormat.decodePage(payload);
		return new SessionPage(page.keys().stream().map(SessionAdministration::decodeSession).toList(),
				(page.token() != null) ? page.token().toUtf8() : null);
	}

	private static StoredSession decodeSession(Bytes payload) {
		Fields fields = new Fields(payload);
		return new StoredSession(fields.required(CLIENT), fields.text(PRINCIPAL), fields.requiredNumber(CONNECTED) != 0,
				fields.millis(REMAINING), fields.requiredInt(SUBSCRIPTION_COUNT), fields.requiredInt(QUEUED_COUNT),
				fields.requiredNumber(BYTES));
	}

	/**
	 * Encodes the answer to a request that ends a session.
	 * @param existed whether there was a session
	 * @return the payload
	 */
	public static byte[] encodeEnded(boolean existed) {
		return Replies.encode(new Reply.Count(existed ? 1 : 0));
	}

	/**
	 * Decodes the answer to a request that ends a session.
	 * @param payload the payload
	 * @return whether there was a session
	 * @throws ProtocolException if the payload is malformed, or with the reason and text
	 * of an error answer
	 */
	public static boolean decodeEnded(Bytes payload) {
		if (!(AdministrationFormat.decodeReply(payload) instanceof Reply.Count count)) {
			throw RespReader.syntaxError();
		}
		return count.number() > 0;
	}

}
