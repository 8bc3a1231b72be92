package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.statestore.protocol.StoredChange.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Encoder and decoder of requests for the history of a store, see {@link Administration}.
 * A request is an array of bulk strings: {@code HISTORY}, the pattern, and the options
 * {@code AFTER} or {@code CONTENT} with a version, and {@code TOKEN} with the token of
 * the previous page. An answer has the form of the reply to a SCAN, with an array of
 * names and values for each change. Unlike other administration requests, every client
 * may send one.
 */
public final class HistoryAdministration {

	static final Bytes HISTORY = RespReader.ascii("HISTORY");

	private static final Bytes AFTER = RespReader.ascii("AFTER");

	private static final Bytes CONTENT = RespReader.ascii("CONTENT");

	private static final String OPERATION = "operation";

	private static final String KEY = "key";

	private static final String VALUE = "value";

	private static final String VERSION = "version";

	private static final String CLIENT = "client";

	private static final String PRINCIPAL = "principal";

	private HistoryAdministration() {
	}

	/**
	 * Encodes a request.
	 * @param query the request
	 * @return the payload
	 */
	public static byte[] encode(HistoryQuery query) {
		List<Bytes> elements = new ArrayList<>(List.of(HISTORY, query.pattern()));
		add(elements, AFTER, query.after());
		add(elements, CONTENT, query.content());
		add(elements, AdministrationFormat.TOKEN, query.token());
		return AdministrationFormat.array(elements);
	}

	private static void add(List<Bytes> elements, Bytes name, @Nullable Object value) {
		if (value != null) {
			elements.add(name);
			elements.add(Bytes.of(value.toString()));
		}
	}

	/** Decodes a request from its elements. */
	static HistoryQuery decodeQuery(List<Bytes> elements) {
		if (elements.size() < 2) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		int next = 2;
		String after = option(elements, next, AFTER);
		next += (after != null) ? 2 : 0;
		String content = (after == null) ? option(elements, next, CONTENT) : null;
		next += (content != null) ? 2 : 0;
		String token = option(elements, next, AdministrationFormat.TOKEN);
		next += (token != null) ? 2 : 0;
		if (next != elements.size()) {
			throw RespReader.syntaxError();
		}
		return new HistoryQuery(elements.get(1), version(after), version(content), token);
	}

	private static @Nullable String option(List<Bytes> elements, int index, Bytes name) {
		return (index + 1 < elements.size() && elements.get(index).equals(name))
				? AdministrationFormat.text(elements.get(index + 1)) : null;
	}

	private static @Nullable Version version(@Nullable String text) {
		return (text != null) ? Version.parse(text) : null;
	}

	/**
	 * Encodes an answer.
	 * @param page the answer
	 * @return the payload
	 */
	public static byte[] encode(HistoryPage page) {
		return AdministrationFormat.page(page.changes(), HistoryAdministration::encode,
				(page.token() != null) ? Bytes.of(page.token()) : null);
	}

	/**
	 * Encodes a change, as in an answer.
	 * @param change the change
	 * @return an array of names and values
	 */
	public static byte[] encode(StoredChange change) {
		return new Fields().with(OPERATION, change.operation().name().toLowerCase(Locale.ROOT))
			.with(KEY, change.key())
			.with(VALUE, change.value())
			.with(VERSION, change.version())
			.with(CLIENT, change.client())
			.with(PRINCIPAL, change.principal())
			.encode();
	}

	/**
	 * Decodes an answer.
	 * @param payload the payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or with the reason of an
	 * error answer
	 */
	public static HistoryPage decodePage(Bytes payload) {
		Reply.Page page = AdministrationFormat.decodePage(payload);
		Bytes token = page.token();
		return new HistoryPage(page.keys().stream().map(HistoryAdministration::decodeChange).toList(),
				(token != null) ? AdministrationFormat.text(token) : null);
	}

	/**
	 * Decodes a change, as in an answer.
	 * @param payload an array of names and values
	 * @return the change
	 * @throws ProtocolException if the payload is malformed
	 */
	public static StoredChange decodeChange(Bytes payload) {
		Fields fields = new Fields(payload);
		return new StoredChange(operation(fields.required(OPERATION)), fields.requiredBytes(KEY),
				fields.requiredBytes(VALUE), Version.parse(fields.required(VERSION)), fields.text(CLIENT),
				fields.text(PRINCIPAL));
	}

	private static Operation operation(String name) {
		for (Operation operation : Operation.values()) {
			if (operation.name().toLowerCase(Locale.ROOT).equals(name)) {
				return operation;
			}
		}
		throw RespReader.syntaxError();
	}

}
