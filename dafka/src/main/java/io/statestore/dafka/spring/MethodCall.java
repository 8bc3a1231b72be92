package io.statestore.dafka.spring;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.listener.MethodInvoker;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;

/**
 * Calls a listener method with records. Thread-safe.
 *
 * @param invoker invokes the method and validates values
 * @param valueType type that values are converted to
 * @param isBatch whether the method accepts lists of records
 * @param values converts records
 */
record MethodCall(MethodInvoker invoker, Type valueType, boolean isBatch, DafkaValues values) {

	/**
	 * Converts a record to its value.
	 * @throws DafkaConversionException if the record cannot be converted or the value is
	 * not valid
	 */
	Converted convert(DafkaRecord record) {
		Object value = this.values.read(record, this.valueType);
		List<String> problems = this.invoker.problems(value);
		if (!problems.isEmpty()) {
			throw new DafkaConversionException("Record " + record.offset() + " of topic '" + record.topic()
					+ "', partition '" + record.partition() + "' is not valid: " + problems);
		}
		return new Converted(record, value);
	}

	/**
	 * Invokes the method unless its bean was garbage collected.
	 * @param records the records; a single record unless the method accepts lists
	 * @return {@code false} if the method was not invoked, because its bean no longer
	 * exists
	 * @throws Exception if the method throws it
	 */
	boolean invoke(List<Converted> records) throws Exception {
		return this.invoker.invoke(new GenericMessage<>(new Arguments(records, this.isBatch),
				this.isBatch ? Map.of() : headers(records.get(0).record())));
	}

	private static Map<String, Object> headers(DafkaRecord record) {
		return Map.of(DafkaHeaders.TOPIC, record.topic(), DafkaHeaders.PARTITION, record.partition(),
				DafkaHeaders.OFFSET, record.offset());
	}

	/** Returns the class and method names, for messages. */
	@Override
	public String toString() {
		return this.invoker.toString();
	}

	/**
	 * Records passed to a call.
	 *
	 * @param records the records; a single record unless {@code batch}
	 * @param batch whether the method accepts lists
	 */
	private record Arguments(List<Converted> records, boolean batch) {
	}

	/**
	 * A record and its value.
	 *
	 * @param record record as received
	 * @param value the converted content
	 */
	record Converted(DafkaRecord record, Object value) {
	}

	/**
	 * Resolves arguments that are not headers. The message's payload is
	 * {@link Arguments}.
	 */
	static final class ArgumentResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return true;
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, Message<?> message) {
			Arguments arguments = (Arguments) message.getPayload();
			if (arguments.batch()) {
				boolean records = ResolvableType.forMethodParameter(parameter)
					.getGeneric(0)
					.resolve() == DafkaRecord.class;
				return arguments.records().stream().map((one) -> records ? one.record() : one.value()).toList();
			}
			Converted one = arguments.records().get(0);
			DafkaRecord record = one.record();
			Class<?> type = parameter.getParameterType();
			if (type == DafkaRecord.class) {
				return record;
			}
			if (type == Position.class) {
				return new Position(record.topic(), record.partition(), record.offset());
			}
			if (type == TopicPartition.class) {
				return new TopicPartition(record.topic(), record.partition());
			}
			return (type == Message.class) ? new GenericMessage<>(one.value(), message.getHeaders()) : one.value();
		}

	}

}
