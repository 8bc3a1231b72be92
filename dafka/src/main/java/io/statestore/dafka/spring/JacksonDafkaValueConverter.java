package io.statestore.dafka.spring;

import java.lang.reflect.Type;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;

/**
 * Converter that uses a Jackson 3 mapper, for JSON or another Jackson format. Reading a
 * JSON {@code null} fails unless the required type represents it, such as
 * {@code JsonNode} or {@code Optional}. Thread-safe.
 */
public final class JacksonDafkaValueConverter implements DafkaValueConverter {

	private final ObjectMapper mapper;

	/**
	 * Creates a converter.
	 * @param mapper reads and writes the values
	 */
	public JacksonDafkaValueConverter(ObjectMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public Bytes write(Object value) {
		try {
			return Bytes.wrap(this.mapper.writeValueAsBytes(value));
		}
		catch (RuntimeException ex) {
			throw concealed(ex);
		}
	}

	@Override
	public Object read(Bytes content, Type type) {
		Object value = readNullable(content, type);
		if (value == null) {
			throw new DafkaConversionException("it is the JSON text null. Read it as JsonNode or Optional");
		}
		return value;
	}

	private @Nullable Object readNullable(Bytes content, Type type) {
		try {
			return this.mapper.readValue(content.unwrap(), this.mapper.constructType(type));
		}
		catch (RuntimeException ex) {
			throw concealed(ex);
		}
	}

	/**
	 * Returns an exception that states only the type and location of a failure. Jackson's
	 * messages contain parts of the value, which must not be logged.
	 */
	private static DafkaConversionException concealed(RuntimeException failure) {
		String place = "";
		if (failure instanceof JacksonException jackson && jackson.getLocation() != null
				&& jackson.getLocation().getLineNr() > 0) {
			place = " in line " + jackson.getLocation().getLineNr() + ", column " + jackson.getLocation().getColumnNr();
		}
		DafkaConversionException result = new DafkaConversionException(failure.getClass().getName() + place);
		result.setStackTrace(failure.getStackTrace());
		return result;
	}

}
