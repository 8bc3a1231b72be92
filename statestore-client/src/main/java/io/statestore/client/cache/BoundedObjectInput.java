package io.statestore.client.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Consumer;

import io.statestore.client.StateStoreConversionException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ConfigurableObjectInputStream;

/**
 * Input of serialized objects whose memory is limited by the number of bytes, and whose
 * time does not grow exponentially with it.
 * <p>
 * Reading a hash-based collection computes the hash codes of its elements. If nested
 * collections share their elements, this takes exponential time. The input therefore
 * weighs each collection: its weight is the number of its elements and the sum of their
 * weights. Without shared elements, no collection weighs more than the value has bytes.
 */
final class BoundedObjectInput extends ConfigurableObjectInputStream {

	/** Maximum depth of nested objects. */
	static final int MAX_DEPTH = 100;

	/** Weight that is always permitted. Its hash code takes less than a millisecond. */
	private static final long MIN_WEIGHT = 100_000;

	private final Map<Object, Long> weights = new IdentityHashMap<>();

	private final int length;

	private final Consumer<Class<?>> types;

	/**
	 * Creates an input.
	 * @param length number of bytes of the value
	 * @param types throws an exception if a type is not allowed
	 */
	BoundedObjectInput(InputStream source, int length, @Nullable ClassLoader classLoader, Consumer<Class<?>> types)
			throws IOException {
		super(source, classLoader);
		this.length = length;
		this.types = types;
		setObjectInputFilter(this::check);
		enableResolveObject(true);
	}

	private ObjectInputFilter.Status check(ObjectInputFilter.FilterInfo info) {
		Class<?> type = info.serialClass();
		if (type != null) {
			this.types.accept(type);
		}
		// Each element takes at least one byte.
		if (info.arrayLength() > this.length) {
			throw refused("an array of " + info.arrayLength() + " elements");
		}
		if (info.depth() > MAX_DEPTH) {
			throw refused("objects that are nested more than " + MAX_DEPTH + " levels deep");
		}
		return ObjectInputFilter.Status.UNDECIDED;
	}

	private StateStoreConversionException refused(String what) {
		return new StateStoreConversionException("The value has " + this.length + " bytes, but " + what
				+ ". Cache a smaller value, or cache the values as JSON");
	}

	/**
	 * Weighs a collection of the JDK whose elements were read before. Those of libraries
	 * may load their elements lazily.
	 */
	@Override
	protected Object resolveObject(Object object) {
		if (object.getClass().getPackageName().startsWith("java.util")) {
			long weight = 0;
			if (object instanceof Collection<?> collection) {
				weight = weigh(collection);
			}
			else if (object instanceof Map<?, ?> map) {
				weight = weigh(map.keySet()) + weigh(map.values());
			}
			else if (object instanceof Map.Entry<?, ?> entry) {
				weight = weigh(Arrays.asList(entry.getKey(), entry.getValue()));
			}
			if (weight > 0) {
				this.weights.put(object, weight);
			}
		}
		return object;
	}

	private long weigh(Collection<?> elements) {
		long weight = 0;
		for (Object element : elements) {
			weight += 1 + ((element != null) ? this.weights.getOrDefault(element, 0L) : 0);
			if (weight > Math.max(MIN_WEIGHT, this.length)) {
				throw refused("collections that share too many elements");
			}
		}
		return weight;
	}

}
