package io.statestore.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Type;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to bytes and back. Strings and bytes are stored unchanged; values of
 * other types are passed to the converter. Immutable.
 */
record Values(@Nullable ValueConverter converter, int maxLength) {

	/** Maximum value of an MQTT packet's length field. */
	static final int MAX_LENGTH = 268_435_455;

	Values(@Nullable ValueConverter converter) {
		this(converter, MAX_LENGTH);
	}

	Bytes write(Key key, Object value) {
		Arguments.require(value != null,
				"'value' must not be null. Call delete to remove the key, or store an empty string");
		if (value instanceof Bytes bytes) {
			requireLength(key, bytes.length());
			return bytes;
		}
		if (value instanceof byte[] array) {
			requireLength(key, array.length);
			return Bytes.copyOf(array);
		}
		if (value instanceof String text) {
			// Each character needs at least one byte, so this refuses long strings before
			// encoding.
			requireLength(key, text.length());
			Bytes bytes = Arguments.utf8("value", text);
			requireLength(key, bytes.length());
			return bytes;
		}
		return convert(key, value);
	}

	private Bytes convert(Key key, Object value) {
		String what = value.getClass().getName() + " cannot be written as the value of key " + key.quoted();
		if (this.converter == null) {
			throw noConverter(what);
		}
		BoundedOutput target = new BoundedOutput(this.maxLength);
		try {
			this.converter.write(value, target);
		}
		catch (IOException | RuntimeException ex) {
			if (target.full) {
				throw tooLong(key, "more than " + this.maxLength);
			}
			throw failed(what, ex);
		}
		return target.toBytes();
	}

	@SuppressWarnings("unchecked")
	<T> T read(Key key, Bytes value, Version version, Type type) {
		if (type == Bytes.class) {
			return (T) value;
		}
		if (type == byte[].class) {
			return (T) value.toArray();
		}
		String what = "The value of key " + key.quoted() + " (version " + version + ") cannot be read as "
				+ type.getTypeName();
		if (type == String.class) {
			String text = Utf8.decode(value);
			if (text == null) {
				throw new StateStoreConversionException(what + ": it is not UTF-8. Read it as byte[] or Bytes");
			}
			return (T) text;
		}
		if (this.converter == null) {
			throw noConverter(what);
		}
		try {
			return (T) this.converter.read(value, type);
		}
		catch (RuntimeException ex) {
			throw failed(what, ex);
		}
	}

	private static StateStoreConversionException failed(String what, Exception failure) {
		StateStoreConversionException cause = (failure instanceof StateStoreConversionException concealed) ? concealed
				: StateStoreConversionException.conceal("", failure);
		return new StateStoreConversionException(what + ": " + cause.getMessage(), cause);
	}

	private static StateStoreConversionException noConverter(String what) {
		return new StateStoreConversionException(what
				+ ": there is no converter, which all types except String, byte[], and Bytes need. For JSON, add "
				+ "org.springframework.boot:spring-boot-starter-jackson; without Spring Boot, add "
				+ "tools.jackson.core:jackson-databind and pass a JacksonValueConverter to the StateStoreTemplate");
	}

	private void requireLength(Key key, int length) {
		if (length > this.maxLength) {
			throw tooLong(key, String.valueOf(length));
		}
	}

	private StateStoreInvalidRequestException tooLong(Key key, String length) {
		return new StateStoreInvalidRequestException("The value of key " + key.quoted() + " has " + length
				+ " bytes, but an MQTT packet holds at most " + this.maxLength
				+ ". Split it over several keys, or store it elsewhere and only its location " + "here");
	}

	/** Output that fails if more bytes are written than can be sent. */
	private static final class BoundedOutput extends ByteArrayOutputStream {

		private final int maxLength;

		private boolean full;

		private BoundedOutput(int maxLength) {
			this.maxLength = maxLength;
		}

		@Override
		public void write(int octet) {
			requireRoom(1);
			super.write(octet);
		}

		@Override
		public void write(byte[] source, int offset, int length) {
			requireRoom(length);
			super.write(source, offset, length);
		}

		private void requireRoom(int length) {
			if (length > this.maxLength - this.count) {
				this.full = true;
				throw new IllegalStateException("The value exceeds the maximum length");
			}
		}

		private Bytes toBytes() {
			return Bytes.wrap(this.buf).slice(0, this.count);
		}

	}

}
