package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes administration requests and their answers. They are a
 * project-specific extension on a separate topic, and not part of the protocol. The
 * payloads have the same syntax as command payloads.
 * <p>
 * A request is an array of bulk strings: {@code LOCKS}, {@code CLUSTER}, {@code BACKUP},
 * {@code CLIENTS}, {@code SESSIONS}, {@code ENDSESSION}, or {@code HISTORY}, followed by
 * the components of the {@link AdministrationRequest}: {@code LOCKS * ALL TOKEN 17}. The
 * answer to a query is a page in the format of a SCAN reply. In place of keys, it
 * contains an array of names and values for each item, or a backup's data. Receivers
 * ignore unknown names. The answer to {@code ENDSESSION} is the number of sessions that
 * were ended, 1 or 0. The answer to a cluster change is {@code OK}. Errors have the usual
 * format.
 */
public final class Administration {

	/** Topic for requests with the first payload version. */
	public static final String REQUEST_TOPIC = "statestore-administration/v1/request";

	/**
	 * Beginning of the text of a temporary error, for example because leadership is
	 * moving. The client should read the status and repeat the request if necessary.
	 */
	public static final String NOT_YET = "not yet: ";

	private static final int MAX_REQUEST_ELEMENTS = 6;

	private Administration() {
	}

	/**
	 * Returns the topic on which one of this project's clients receives answers.
	 * @param clientId the MQTT client id
	 * @return the response topic
	 */
	public static String responseTopic(String clientId) {
		return "clients/" + clientId + "/services/statestore-administration/response";
	}

	/**
	 * Encodes a request.
	 * @param request the request to encode
	 * @return the request's payload
	 */
	public static byte[] encode(AdministrationRequest request) {
		List<Bytes> elements = new ArrayList<>();
		AdministrationForms.COMMANDS.forEach((command, type) -> {
			if (type.isInstance(request)) {
				elements.add(command);
			}
		});
		AdministrationForms.<AdministrationRequest>of(request.getClass()).addArguments(request, elements);
		return RespWriter.array(elements.toArray(Bytes[]::new));
	}

	/**
	 * Decodes a request.
	 * @param payload the request's payload
	 * @return the request
	 * @throws ProtocolException if the payload is not a valid request. The exception
	 * contains the reason for the error reply
	 */
	public static AdministrationRequest decodeRequest(Bytes payload) {
		List<Bytes> elements = new RespReader(payload).readBulkArray(MAX_REQUEST_ELEMENTS);
		if (elements.isEmpty()) {
			throw RespReader.syntaxError();
		}
		Class<? extends AdministrationRequest> type = AdministrationForms.COMMANDS.get(elements.get(0));
		if (type == null) {
			throw new ProtocolException(ErrorReason.UNKNOWN_COMMAND);
		}
		return AdministrationForms.of(type).ofArguments(elements.subList(1, elements.size()));
	}

	/**
	 * Encodes an answer.
	 * @param page the answer
	 * @return the answer's payload
	 */
	public static byte[] encode(AdministrationPage<?> page) {
		return Replies.encode(new Reply.Page(page.items().stream().map(Administration::encodeAny).toList(),
				(page.token() != null) ? Bytes.of(page.token()) : null));
	}

	/**
	 * Decodes an answer.
	 * @param <T> the type of the items
	 * @param type the type of the items
	 * @param payload the answer's payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or is an error answer, whose
	 * reason and text the exception contains
	 */
	public static <T> AdministrationPage<T> decodePage(Class<T> type, Bytes payload) {
		Reply.Page page = decodeReply(Reply.Page.class, payload);
		return new AdministrationPage<>(page.keys().stream().map((item) -> decodeItem(type, item)).toList(),
				(page.token() != null) ? page.token().toUtf8() : null);
	}

	/**
	 * Encodes an item in the format used in answers.
	 * @param item the item, such as a {@link StoredLock}
	 * @return an array of names and values
	 */
	public static byte[] encodeItem(Object item) {
		return AdministrationForms.<Object>of(item.getClass()).encodeItem(item);
	}

	private static Bytes encodeAny(Object item) {
		return (item instanceof Bytes data) ? data : Bytes.wrap(encodeItem(item));
	}

	/**
	 * Decodes an item in the format used in answers.
	 * @param <T> the type of the item
	 * @param type the type of the item
	 * @param payload an array of names and values
	 * @return the item
	 * @throws ProtocolException if the payload is malformed
	 */
	public static <T> T decodeItem(Class<T> type, Bytes payload) {
		return (type == Bytes.class) ? type.cast(payload) : AdministrationForms.<T>of(type).decodeItem(payload);
	}

	/**
	 * Encodes the answer to a request that failed.
	 * @param text the reason, and how to fix the problem
	 * @return the answer's payload
	 */
	public static byte[] encodeFailure(String text) {
		return Replies.encode(new Reply.Error(ErrorReason.UNKNOWN, text.replaceAll("[\\r\\n]+", " ")));
	}

	/**
	 * Decodes an answer that is not a page.
	 * @param <T> the type of the answer
	 * @param type the type of the answer
	 * @param payload the answer's payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or is an error answer, whose
	 * reason and text the exception contains
	 */
	public static <T extends Reply> T decodeReply(Class<T> type, Bytes payload) {
		Reply reply = Replies.decode(payload);
		if (reply instanceof Reply.Error error) {
			throw new ProtocolException(error.reason(), error.text());
		}
		if (!type.isInstance(reply)) {
			throw RespReader.syntaxError();
		}
		return type.cast(reply);
	}

}
