package io.statestore.protocol;

/** Notifications as bytes (protocol sections 6 and 9). */
public final class Notifications {

	private static final Bytes NOTIFY = RespReader.ascii("NOTIFY");

	private static final Bytes SET = RespReader.ascii("SET");

	private static final Bytes VALUE = RespReader.ascii("VALUE");

	private static final Bytes DELETE = RespReader.ascii("DELETE");

	private static final Bytes DEL = RespReader.ascii("DEL");

	private Notifications() {
	}

	/** The payload of a notification, as official clients expect it. */
	public static byte[] encode(Notification notification) {
		return encode(notification, WireForm.PRACTICE);
	}

	/** The payload of a notification in one of the two forms. */
	public static byte[] encode(Notification notification, WireForm form) {
		if (notification instanceof Notification.Set set) {
			return RespWriter.array(NOTIFY, SET, VALUE, set.value());
		}
		return RespWriter.array(NOTIFY, (form == WireForm.ARTICLES) ? DEL : DELETE);
	}

	/**
	 * Read the payload of a notification, in either form.
	 * @throws ProtocolException if it is neither
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
