package io.statestore.broker.conformance;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;

/** Handwritten RESP3, in the notation of the protocol page. */
public final class Resp {

	private Resp() {
	}

	/** Returns an array of bulk strings. Elements are strings or byte arrays. */
	public static byte[] command(Object... elements) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		out.writeBytes(raw("*" + elements.length + "⏎"));
		for (Object element : elements) {
			out.writeBytes(bulk(bytes(element)));
		}
		return out.toByteArray();
	}

	public static byte[] bulk(byte[] content) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		out.writeBytes(raw("$" + content.length + "⏎"));
		out.writeBytes(content);
		out.writeBytes(raw("⏎"));
		return out.toByteArray();
	}

	/** Returns the bytes of a string in which ⏎ stands for CR LF. */
	public static byte[] raw(String text) {
		return text.replace("⏎", "\r\n").getBytes(StandardCharsets.UTF_8);
	}

	/** Returns a payload as a string in which ⏎ stands for CR LF. */
	public static String text(RawPublish message) {
		return new String(message.payload, StandardCharsets.UTF_8).replace("\r\n", "⏎");
	}

	public static byte[] bytes(Object element) {
		return (element instanceof byte[] bytes) ? bytes : ((String) element).getBytes(StandardCharsets.UTF_8);
	}

	/** A SCAN page, with keys as strings. */
	public record Page(List<String> keys, byte @Nullable [] token) {

		static Page of(RawPublish reply) {
			Cursor in = new Cursor(reply.payload);
			int elements = in.header('*');
			int count = in.header('*');
			List<String> keys = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				keys.add(new String(in.bulk(), StandardCharsets.UTF_8));
			}
			Page page = new Page(keys, (elements == 2) ? in.bulk() : null);
			if (elements > 2 || in.position != reply.payload.length) {
				throw new AssertionError("Not a page: " + text(reply));
			}
			return page;
		}

	}

	private static final class Cursor {

		private final byte[] payload;

		private int position;

		Cursor(byte[] payload) {
			this.payload = payload;
		}

		int header(char type) {
			if (this.payload[this.position++] != type) {
				throw new AssertionError("Expected " + type + " at " + (this.position - 1));
			}
			int number = 0;
			while (this.payload[this.position] != '\r') {
				number = number * 10 + this.payload[this.position++] - '0';
			}
			this.position += 2;
			return number;
		}

		byte[] bulk() {
			byte[] content = new byte[header('$')];
			System.arraycopy(this.payload, this.position, content, 0, content.length);
			this.position += content.length + 2;
			return content;
		}

	}

}
