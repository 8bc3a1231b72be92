package io.statestore.protocol;

import java.util.List;

/**
 * Encoder and decoder of administration requests for backups, and of their answers. See
 * {@link Administration} for their topics.
 * <p>
 * A request is an array of bulk strings: {@code BACKUP}, and the option {@code TOKEN}
 * with the token. The answer has the form of the reply to a SCAN. In place of keys, it
 * contains the data of the page.
 */
public final class BackupAdministration {

	static final Bytes BACKUP = RespReader.ascii("BACKUP");

	private BackupAdministration() {
	}

	/**
	 * Encodes a request.
	 * @param query the request
	 * @return the payload
	 */
	public static byte[] encode(BackupQuery query) {
		return AdministrationFormat.query(BACKUP, query.token());
	}

	/** Decodes a request from its elements. */
	static BackupQuery decodeQuery(List<Bytes> elements) {
		return new BackupQuery(AdministrationFormat.token(elements));
	}

	/**
	 * Encodes an answer.
	 * @param page the answer
	 * @return the payload
	 */
	public static byte[] encode(BackupPage page) {
		Bytes token = (page.token() != null) ? Bytes.of(page.token()) : null;
		return Replies.encode(new Reply.Page(List.of(page.data()), token));
	}

	/**
	 * Decodes an answer.
	 * @param payload the payload
	 * @return the answer
	 * @throws ProtocolException if the payload is malformed, or with the reason and text
	 * of an error answer
	 */
	public static BackupPage decodePage(Bytes payload) {
		Reply.Page page = AdministrationFormat.decodePage(payload);
		if (page.keys().size() != 1) {
			throw RespReader.syntaxError();
		}
		return new BackupPage(page.keys().get(0), (page.token() != null) ? page.token().toUtf8() : null);
	}

}
