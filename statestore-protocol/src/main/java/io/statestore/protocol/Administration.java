package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * Encoder and decoder of administration requests and their answers. They are an extension
 * of this project, on a topic of its own, and not part of the protocol. The payloads have
 * the same syntax as those of commands.
 * <p>
 * A request for locks is an array of bulk strings: {@code LOCKS}, the pattern, and the
 * options {@code ALL} and {@code TOKEN} with the token. Those to a cluster are described
 * at {@link ClusterAdministration}, and those for MQTT sessions at
 * {@link SessionAdministration}, and those for the history at
 * {@link HistoryAdministration}. An answer has the form of the reply to a SCAN. In place
 * of keys, it contains arrays of names and values, one for each lock. A receiver ignores
 * unknown names. An error has the form of other errors.
 */
public final class Administration {

	/** Topic of requests with the first version of the payloads. */
	public static final String REQUEST_TOPIC = "statestore-administration/v1/request";

	private static final Bytes LOCKS = RespReader.ascii("LOCKS");

	private static final Bytes ALL = RespReader.ascii("ALL");

	private static final int MAX_REQUEST_ELEMENTS = 6;

	private static final String KEY = "key";

	private static final String HOLDER = "holder";

	private static final String VERSION = "version";

	private static final String LOCK_TOKEN = "token";

	private static final String CLIENT = "client";

	private static final String PRINCIPAL = "principal";

	private static final String REMAINING = "remaining";

	private static final String WAITER_COUNT = "waiters";

	private static final String SUCCESSOR = "successor";

	private Administration() {
	}

	/**
	 * Returns the topic on which a client of this project receives answers.
	 * @param clientId the MQTT client id
	 * @return the topic
	 */
	public static String responseTopic(String clientId) {
		return "clients/" + clientId + "/services/statestore-administration/response";
	}

	/**
	 * Encodes a request.
	 * @param query the request
	 * @return the payload
	 */
	public static byte[] encode(LockQuery query) {
		List<Bytes> elements = new ArrayList<>(List.of(LOCKS, query.pattern()));
		if (query.all()) {
			elements.add(ALL);
		}
		if (query.token() != null) {
			elements.add(AdministrationFormat.TOKEN);
			elements.add(query.token());
		}
		return AdministrationFormat.array(elements);
	}

	/**
	 * Decodes a request.
	 * @param payload the payload
	 * @return the request
	 * @throws ProtocolException if the payload is not a valid request. The exception
	 * contains the reason for the error reply
	 */
	public static AdministrationRequest decodeRequest(Bytes payload) {
		List<Bytes> elements = AdministrationFormat.elements(payload, MAX_REQUEST_ELEMENTS);
		if (elements.isEmpty()) {
			throw RespReader.syntaxError();
		}
		Bytes command = elements.get(0);
		if (command.equals(ClusterAdministration.CLUSTER)) {
			return ClusterAdministration.decodeRequest(elements);
		}
		if (command.equals(BackupAdministration.BACKUP)) {
			return BackupAdministration.decodeQuery(elements);
		}
		if (command.equals(SessionAdministration.SESSIONS)) {
			return SessionAdministration.decodeQuery(elements);
		}
		if (command.equals(HistoryAdministration.HISTORY)) {
			return HistoryAdministration.decodeQuery(elements);
		}
		return command.equals(SessionAdministration.END) ? SessionAdministration.decodeEnd(elements)
				: decodeQuery(elements);
	}

	private static LockQuery decodeQuery(List<Bytes> elements) {
		if (!elements.get(0).equals(LOCKS)) {
			throw new ProtocolException(ErrorReason.UNKNOWN_COMMAND);
		}
		if (elements.size() < 2) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		int next = 2;
		boolean all = next < elements.size() && elements.get(next).equals(ALL);
		if (all) {
			next++;
		}
		Bytes token = null;
		if (next + 1 < elements.size() && elements.get(next).equals(AdministrationFormat.TOKEN)) {
			token = elements.get(next + 1);
			next += 2;
		}
		if (next != elements.size()) {
			throw RespReader.syntaxError();
		}
		return new LockQuery(elements.get(1), all, token);
	}

	/**
	 * Encodes an answer.
	 * @param page the answer
	 * @return the payload
	 */
	public static byte[] encode(LockPage page) {
		return AdministrationFormat.page(page.locks(), Administration::encode, page.token());
	}

	private static byte[] encode(StoredLock lock) {
		return new Fields().with(KEY, lock.key())
			.with(HOLDER, lock.holder())
			.with(VERSION, lock.version())
			.with(LOCK_TOKEN, lock.token())
			.with(CLIENT, lock.client())
			.with(PRINCIPAL, lock.principal())
			.with(REMAINING, lock.remaining())
			.with(WAITER_COUNT, lock.waiterCount())
			.with(SUCCESSOR, lock.successor())
			.encode();
	}

	/**
	 * Decodes an answer.
	 * @param payload the payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or with the reason of an
	 * error answer
	 */
	public static LockPage decodePage(Bytes payload) {
		Reply.Page page = AdministrationFormat.decodePage(payload);
		return new LockPage(page.keys().stream().map(Administration::decodeLock).toList(), page.token());
	}

	private static StoredLock decodeLock(Bytes payload) {
		Fields fields = new Fields(payload);
		String token = fields.text(LOCK_TOKEN);
		return new StoredLock(fields.requiredBytes(KEY), fields.requiredBytes(HOLDER),
				Version.parse(fields.required(VERSION)), (token != null) ? Version.parse(token) : null,
				fields.text(CLIENT), fields.text(PRINCIPAL), fields.millis(REMAINING), fields.text(SUCCESSOR),
				fields.optionalInt(WAITER_COUNT));
	}

}
