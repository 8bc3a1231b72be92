package io.statestore.dafka.store;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Engine that keeps all entries in memory, for stores without a directory and for tests.
 * 
 */
final class MemoryEngine implements Engine {

	private final TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);

	@Override
	public void write(List<Entry> entries, boolean sync) {
		entries.forEach((entry) -> this.map.put(entry.key(), entry.value()));
	}

	@Override
	public @Nullable Entry floor(byte[] key) {
		Map.Entry<byte[], byte[]> entry = this.map.floorEntry(key);
		return (entry != null) ? new Entry(entry.getKey(), entry.getValue()) : null;
	}

	@Override
	public void scan(byte[] from, Visitor visitor) {
		for (Map.Entry<byte[], byte[]> entry : this.map.tailMap(from).entrySet()) {
			if (!visitor.visit(entry.getKey(), entry.getValue())) {
				return;
			}
		}
	}

	@Override
	public void remove(List<Range> ranges) {
		ranges.forEach((range) -> this.map.subMap(range.from(), range.to()).clear());
	}

	@Override
	public String location() {
		return "memory";
	}

	@Override
	public void close() {
	}

}
