package io.statestore.client.cache;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;

import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** Maps a cache's keys to keys in the store. Immutable. */
final class CacheKeys {

	private static final String SEPARATOR = "::";

	/** Whether a class overrides {@code toString()}. */
	private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				throw new IllegalStateException(ex);
			}
		}

	};

	private final String cache;

	private final String prefix;

	/**
	 * Creates the mapping for a cache.
	 * @throws IllegalArgumentException if this cache's keys could collide with another
	 * cache's keys
	 */
	CacheKeys(String cache, String prefix) {
		if (cache.isEmpty() || cache.contains(SEPARATOR) || cache.endsWith(":")) {
			throw new IllegalArgumentException("The name of a cache must not be empty, contain '::', or end with ':', "
					+ "but is '" + cache + "'. Its keys could be those of another cache. Choose another name");
		}
		this.cache = cache;
		this.prefix = prefix + cache + SEPARATOR;
	}

	/**
	 * Returns the key in the store.
	 * @throws IllegalArgumentException if the key, or a part of it, does not override
	 * {@code toString()}
	 */
	Key toKey(Object key) {
		if (key instanceof Object[] array) {
			Arrays.asList(array).forEach(this::requireText);
		}
		else if (!key.getClass().isArray()) {
			requireText(key);
		}
		return Key.of(this.prefix + ObjectUtils.nullSafeToString(key));
	}

	/** Returns a pattern that matches all keys of the cache in the store. */
	String pattern() {
		return this.prefix.replaceAll("[*?\\[]", "[$0]") + "*";
	}

	private void requireText(@Nullable Object part) {
		if (part instanceof Collection<?> elements) {
			elements.forEach(this::requireText);
		}
		else if (part instanceof Map<?, ?> map) {
			requireText(map.keySet());
			requireText(map.values());
		}
		else if (part != null && !HAS_TEXT.get(part.getClass())) {
			throw new IllegalArgumentException("A key of cache '" + this.cache + "' must be convertible to text, but "
					+ part.getClass().getTypeName() + " does not override toString(). Override it, or set the key of "
					+ "@Cacheable to an expression that returns text");
		}
	}

}
