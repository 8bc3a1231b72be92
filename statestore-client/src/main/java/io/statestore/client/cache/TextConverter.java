package io.statestore.client.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;

import io.statestore.client.StateStoreConversionException;
import io.statestore.client.ValueConverter;
import io.statestore.protocol.Bytes;

/** Default converter for caches. Supports only strings, in UTF-8. */
enum TextConverter implements ValueConverter {

	INSTANCE;

	@Override
	public void write(Object value, OutputStream target) throws IOException {
		if (!(value instanceof String text) || !text.equals(Bytes.of(text).toUtf8())) {
			throw new StateStoreConversionException("the cache has no converter, so its values must be strings that "
					+ "UTF-8 can encode. Set the type of its values with CacheOptions.withValues or the property "
					+ "'statestore.cache.caches.<name>.value-type', which stores them as JSON");
		}
		target.write(Bytes.of(text).toArray());
	}

	@Override
	public Object read(Bytes value, Type type) {
		String text = value.toUtf8();
		if (!Bytes.of(text).equals(value)) {
			throw new StateStoreConversionException("it is not UTF-8");
		}
		return text;
	}

}
