package io.statestore.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Encoder and decoder of administration requests and their answers. They are an extension
 * of this project, on a topic of its own, and not part of the protocol. The payloads have
 * the same syntax as those of commands.
 * <p>
 * A request for locks is an array of bulk strings: {@code LOCKS}, the pattern, and the
 * options {@code ALL} and {@code TOKEN} with the token. Those to a cluster are described
 * at {@link ClusterAdministration}. An answer has the form of the reply to a SCAN. In
 * place of keys, it contains arrays of names and values, one for each lock. A receiver
 * ignores unknown names. An error has the form of other errors.
 */
public final class Administration {

	/** Topic of requests with the first version of the payloads. */
	public static final String REQUEST_TOPIC = "statestore-administration/v1/request";

	private static final Bytes LOCKS = RespReader.ascii("LOCKS");

	private static final Bytes ALL = RespReader.ascii("ALL");

	private static final Bytes TOKEN = RespReader.ascii("TOKEN");

	private static final int MAX_REQUEST_ELEMENTS = 5;

	private static final Bytes KEY = RespReader.ascii("key");

	private static final Bytes HOLDER = RespReader.ascii("holder");

	private static final Bytes VERSION = RespReader.ascii("version");

	private static final Bytes LOCK_TOKEN = RespReader.ascii("token");

	private static final Bytes CLIENT = RespReader.ascii("client");

	private static final Bytes PRINCIPAL = RespReader.ascii("principal");

	private static final Bytes REMAINING = RespReader.ascii("remaining");

	private static final Bytes WAITER_COUNT = RespReader.ascii("waiters");

	private static final Bytes SUCCESSOR = RespReader.ascii("successor");

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
			elements.add(TOKEN);
			elements.add(query.token());
		}
		return array(elements);
	}

	/**
	 * Decodes a request.
	 * @param payload the payload
	 * @return the request
	 * @throws ProtocolException if the payload is not a valid request. The exception
	 * contains the reason for the error reply
	 */
	public static AdministrationRequest decodeRequest(Bytes payload) {
		List<Bytes> elements = elements(payload, MAX_REQUEST_ELEMENTS);
		if (elements.isEmpty()) {
			throw RespReader.syntaxError();
		}
		return elements.get(0).equals(ClusterAdministration.CLUSTER) ? ClusterAdministration.decodeRequest(elements)
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
		if (next + 1 < elements.size() && elements.get(next).equals(TOKEN)) {
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
		List<Bytes> locks = page.locks().stream().map((lock) -> Bytes.wrap(encode(lock))).toList();
		return Replies.encode(new Reply.Page(locks, page.token()));
	}

	private static byte[] encode(StoredLock lock) {
		List<Bytes> fields = new ArrayList<>();
		add(fields, KEY, lock.key());
		add(fields, HOLDER, lock.holder());
		add(fields, VERSION, text(lock.version()));
		add(fields, LOCK_TOKEN, text(lock.token()));
		add(fields, CLIENT, text(lock.client()));
		add(fields, PRINCIPAL, text(lock.principal()));
		add(fields, REMAINING, (lock.remaining() != null) ? text(lock.remaining().toMillis()) : null);
		add(fields, WAITER_COUNT, text(lock.waiterCount()));
		add(fields, SUCCESSOR, text(lock.successor()));
		return array(fields);
	}

	private static void add(List<Bytes> fields, Bytes name, @Nullable Bytes value) {
		if (value != null) {
			fields.add(name);
			fields.add(value);
		}
	}

	private static @Nullable Bytes text(@Nullable Object value) {
		return (value != null) ? Bytes.of(value.toString()) : null;
	}

	static byte[] array(List<Bytes> elements) {
		return RespWriter.array(elements.toArray(Bytes[]::new));
	}

	/**
	 * Decodes an answer.
	 * @param payload the payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or with the reason of an
	 * error answer
	 */
	public static LockPage decodePage(Bytes payload) {
		if (!(decodeReply(payload) instanceof Reply.Page page)) {
			throw RespReader.syntaxError();
		}
		return new LockPage(page.keys().stream().map(Administration::decodeLock).toList(), page.token());
	}

	/** Decodes an answer. Throws an exception for an error answer. */
	static Reply decodeReply(Bytes payload) {
		Reply reply = Replies.decode(payload);
		if (reply instanceof Reply.Error error) {
			throw new ProtocolException(error.reason(), error.text());
		}
		return reply;
	}

	private static StoredLock decodeLock(Bytes payload) {
		List<Bytes> fields = elements(payload, Integer.MAX_VALUE);
		Bytes key = null;
		Bytes holder = null;
		Version version = null;
		Version token = null;
		String client = null;
		String principal = null;
		Duration remaining = null;
		int waiterCount = 0;
		String successor = null;
		for (int i = 0; i + 1 < fields.size(); i += 2) {
			Bytes name = fields.get(i);
			Bytes value = fields.get(i + 1);
			if (name.equals(KEY)) {
				key = value;
			}
			else if (name.equals(HOLDER)) {
				holder = value;
			}
			else if (name.equals(VERSION)) {
				version = Version.parse(value.toUtf8());
			}
			else if (name.equals(LOCK_TOKEN)) {
				token = Version.parse(value.toUtf8());
			}
			else if (name.equals(CLIENT)) {
				client = value.toUtf8();
			}
			else if (name.equals(PRINCIPAL)) {
				principal = value.toUtf8();
			}
			else if (name.equals(REMAINING)) {
				remaining = Duration.ofMillis(number(value));
			}
			else if (name.equals(WAITER_COUNT)) {
				waiterCount = (int) Math.min(Integer.MAX_VALUE, number(value));
			}
			else if (name.equals(SUCCESSOR)) {
				successor = value.toUtf8();
			}
		}
		if (fields.size() % 2 != 0 || key == null || holder == null || version == null) {
			throw RespReader.syntaxError();
		}
		return new StoredLock(key, holder, version, token, client, principal, remaining, successor, waiterCount);
	}

	static long number(Bytes digits) {
		RespReader reader = new RespReader(digits);
		long number = reader.readNumber();
		reader.readEnd();
		return number;
	}

	/** Reads an array of bulk strings. */
	static List<Bytes> elements(Bytes payload, int max) {
		RespReader reader = new RespReader(payload);
		int count = reader.readBulkArrayHeader();
		if (count > max) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		List<Bytes> elements = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			elements.add(reader.readBulk());
		}
		reader.readEnd();
		return elements;
	}

}
