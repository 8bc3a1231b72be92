package io.statestore.protocol;

/** Encodes and decodes notifications (protocol sections 6 and 9). */
public final class Notifications {

	private static final Bytes NOTIFY = RespReader.ascii("NOTIFY");

	private static final Bytes SET = RespReader.ascii("SET");

	private static final Bytes VALUE = RespReader.ascii("VALUE");

	private static final Bytes DELETE = RespReader.ascii("DELETE");

	private static final Bytes DEL = RespReader.ascii("DEL");

	private Notifications() {
	}

	/**
	 * Encodes a notification in the format that deployed clients expect.
	 * @param notification the notification to encode
	 * @return the payload of the message
	 */
	public static byte[] encode(Notification notification) {
		return encode(notification, ProtocolDialect.CLIENTS);
	}

	/**
	 * Encodes a notification in either protocol dialect.
	 * @param notification the notification to encode
	 * @param form the protocol dialect
	 * @return the payload of the message
	 */
	public static byte[] encode(Notification notification, ProtocolDialect form) {
		if (notification instanceof Notification.Set set) {
			return RespWriter.array(NOTIFY, SET, VALUE, set.value());
		}
		return RespWriter.array(NOTIFY, (form == ProtocolDialect.SPECIFICATION) ? DEL : DELETE);
	}

	/**
	 * Decodes a notification in either protocol dialect.
	 * @param payload the payload of the message
	 * @return the notification
	 * @throws ProtocolException if the payload is not a notification
	 */
	public static Notification decode(Bytes payload) {
		RespReader reader = new RespReader(payload);
		int count = reader.readBulkArrayHeader();
		if ((count == 2 || count == 4) && reader.readBulk().equals(NOTIFY)) {
			Bytes operation = reader.readBulk();
			if (count == 2 && (operation.equals(DELETE) || operation.equals(DEL))) {
				reader.readEnd();
				return new Notification.Delete();
			}
			if (count == 4 && operation.equals(SET) && reader.readBulk().equals(VALUE)) {
				Bytes value = reader.readBulk();
				reader.readEnd();
				return new Notification.Set(value);
			}
		}
		throw new ProtocolException(ErrorReason.SYNTAX_ERROR,
				"The notification is not one of the state store protocol");
	}

}
