package io.statestore.client.cache;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

import io.statestore.client.Key;
import io.statestore.client.StateStoreConversionException;
import io.statestore.protocol.Bytes;
import org.springframework.cache.support.NullValue;

/** Converts a cache's values, including {@code null}. */
record CacheValues(CacheOptions options) {

	/** Stored form of {@code null}, which JSON never produces. */
	static final Bytes NULL = Bytes.wrap(new byte[] { 0 });

	Bytes write(Key key, Object value) {
		if (value == NullValue.INSTANCE) {
			return NULL;
		}
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		try {
			this.options.converter().write(value, target);
		}
		catch (IOException | RuntimeException ex) {
			throw failed(value.getClass().getName() + " cannot be written as the cached value of key '" + key + "'",
					ex);
		}
		Bytes bytes = Bytes.wrap(target.toByteArray());
		if (bytes.equals(NULL)) {
			throw new StateStoreConversionException("The converter writes a value of key '" + key
					+ "' as a zero byte, which caches use for null. " + "Use a converter that writes other bytes");
		}
		return bytes;
	}

	Object read(Key key, Bytes value) {
		if (value.equals(NULL)) {
			return NullValue.INSTANCE;
		}
		try {
			return this.options.converter().read(value, this.options.valueType());
		}
		catch (RuntimeException ex) {
			throw failed(
					"The cached value of key '" + key + "' cannot be read as " + this.options.valueType().getTypeName(),
					ex);
		}
	}

	private static StateStoreConversionException failed(String what, Exception failure) {
		StateStoreConversionException cause = (failure instanceof StateStoreConversionException concealed) ? concealed
				: StateStoreConversionException.conceal("", failure);
		return new StateStoreConversionException(what + ": " + cause.getMessage(), cause);
	}

}
