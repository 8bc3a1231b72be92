package io.statestore.dafka.endtoend;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;

/** Listener that counts records and checks their order and content. */
public final class Received implements RecordListener {

	final AtomicLong count = new AtomicLong();

	final AtomicLong lost = new AtomicLong();

	final List<String> wrong = new CopyOnWriteArrayList<>();

	final Map<TopicPartition, Long> next = new ConcurrentHashMap<>();

	/** Returns the content of a test record. */
	public static String content(String topic, String partition, long offset) {
		return topic + '/' + partition + '/' + offset;
	}

	public long count() {
		return this.count.get();
	}

	public List<String> wrong() {
		return this.wrong;
	}

	@Override
	public void onRecord(DafkaRecord record) {
		TopicPartition partition = new TopicPartition(record.topic(), record.partition());
		Long expected = this.next.put(partition, record.offset() + 1);
		if (expected != null && expected != record.offset()) {
			this.wrong.add("After " + (expected - 1) + " came " + record);
		}
		String content = content(record.topic(), record.partition(), record.offset());
		if (!record.content().toText().equals(content)) {
			this.wrong.add("Not " + content + " but " + record.content().toText());
		}
		this.count.incrementAndGet();
	}

	@Override
	public void onLost(TopicPartition partition, long first, long count) {
		this.lost.addAndGet(count);
		this.next.remove(partition);
	}

}
