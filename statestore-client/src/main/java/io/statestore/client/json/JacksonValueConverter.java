package io.statestore.client.json;

import java.io.OutputStream;
import java.lang.reflect.Type;

import io.statestore.client.StateStoreConversionException;
import io.statestore.client.ValueConverter;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.exc.InvalidDefinitionException;

/**
 * Converts values to JSON, or to another format that the given Jackson 3 mapper supports.
 * <p>
 * Reading the JSON text {@code null} fails unless the type can represent it, as
 * {@code JsonNode} and {@code Optional} can. Thread-safe.
 */
public final class JacksonValueConverter implements ValueConverter {

	private final ObjectMapper mapper;

	/**
	 * Creates a converter.
	 * @param mapper mapper for the format in which values are stored
	 */
	public JacksonValueConverter(ObjectMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public void write(Object value, OutputStream target) {
		try {
			this.mapper.writeValue(target, value);
		}
		catch (RuntimeException ex) {
			throw StateStoreConversionException.conceal(JacksonFailure.describe(ex), ex);
		}
	}

	@Override
	public Object read(Bytes value, Type type) {
		Object result = readNullable(value, type);
		if (result == null) {
			throw new StateStoreConversionException(
					"it is the JSON literal null. Read it as JsonNode, or delete the key to represent a missing value");
		}
		return result;
	}

	private @Nullable Object readNullable(Bytes value, Type type) {
		try {
			return this.mapper.readValue(value.toArray(), this.mapper.constructType(type));
		}
		catch (RuntimeException ex) {
			throw unreadable(value, ex);
		}
	}

	private StateStoreConversionException unreadable(Bytes value, RuntimeException failure) {
		StateStoreConversionException concealed = StateStoreConversionException
			.conceal(JacksonFailure.describe(failure), failure);
		if (failure instanceof InvalidDefinitionException) {
			return concealed;
		}
		StoredFormat stored = StoredFormat.of(value, this.mapper);
		StateStoreConversionException result = new StateStoreConversionException(
				"it is " + stored.description() + " (" + concealed.getMessage() + "). " + stored.nextStep());
		result.setStackTrace(concealed.getStackTrace());
		return result;
	}

}
