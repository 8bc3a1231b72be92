package io.statestore.dafka.spring;

import java.lang.reflect.Type;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;

/**
 * Values as JSON, or whatever else the given Jackson 3 mapper writes. The JSON text
 * {@code null} is no value: reading it fails, except as a type that has a place for it,
 * such as {@code JsonNode} or {@code Optional}. Safe for use by several threads.
 */
public final class JacksonDafkaValueConverter implements DafkaValueConverter {

	private final ObjectMapper mapper;

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

	/** Messages of Jackson repeat parts of the value; the kind and the place do not. */
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
