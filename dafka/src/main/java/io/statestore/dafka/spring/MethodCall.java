package io.statestore.dafka.spring;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.spring.RecordArgumentResolver.Arguments;
import io.statestore.dafka.spring.RecordArgumentResolver.Converted;
import io.statestore.listener.MethodInvoker;

import org.springframework.messaging.support.GenericMessage;

/**
 * Call of a listener method with records. Thread-safe.
 *
 * @param invoker invokes the method, and validates values
 * @param valueType type that values are converted to
 * @param isBatch whether the method accepts lists of records
 * @param values converts records
 */
record MethodCall(MethodInvoker invoker, Type valueType, boolean isBatch, DafkaValues values) {

	/**
	 * Converts a record to its value.
	 * @throws DafkaConversionException if it cannot be converted, or the value is not
	 * valid
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
	 * Invokes the method, unless its bean was garbage collected.
	 * @param records the records, a single one unless the method accepts lists
	 * @return whether the bean still existed, so that the method was invoked
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

	/** Returns the names of class and method, for messages. */
	@Override
	public String toString() {
		return this.invoker.toString();
	}

}
