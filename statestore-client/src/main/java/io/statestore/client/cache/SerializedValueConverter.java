package io.statestore.client.cache;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.statestore.client.StateStoreConversionException;
import io.statestore.client.ValueConverter;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Converter of {@link Serializable} values of any type by Java serialization.
 * <p>
 * Every client that may write to the store could otherwise create objects of any class of
 * this process. The converter therefore reads and writes only classes in allowed
 * packages, and in {@code java.lang}, {@code java.math}, {@code java.time},
 * {@code java.time.chrono}, {@code java.util}, and {@code java.util.concurrent}.
 * <p>
 * <b>Limits on reading.</b> A value is refused if an array in it is longer than the value
 * has bytes, if its objects are nested more than 100 levels deep, or if its collections
 * share so many elements that computing hash codes would take long. Values with deeper
 * nesting can be written, but not read. The limits do not cover what the code of allowed
 * classes does on reading, such as {@code hashCode} of an application class, and a forged
 * value may take time in proportion to the square of its size. If other clients of the
 * broker are not trusted, store the values as JSON of one type. Safe for use by several
 * threads.
 */
public final class SerializedValueConverter implements ValueConverter {

	private static final Set<String> JDK_PACKAGES = Set.of("java.lang", "java.math", "java.time", "java.time.chrono",
			"java.util", "java.util.concurrent");

	private final List<String> prefixes;

	private final @Nullable ClassLoader classLoader;

	/** Creates a converter for the JDK packages only. */
	public SerializedValueConverter() {
		this(List.of(), ClassUtils.getDefaultClassLoader());
	}

	/**
	 * Creates a converter for the JDK packages and those of an application.
	 * @param allowedPackages packages whose classes are allowed, including those of their
	 * subpackages
	 * @param classLoader loads the classes
	 */
	public SerializedValueConverter(Collection<String> allowedPackages, @Nullable ClassLoader classLoader) {
		this.prefixes = allowedPackages.stream().map((name) -> name + ".").toList();
		this.classLoader = classLoader;
	}

	@Override
	public void write(Object value, OutputStream target) throws IOException {
		try (CheckedOutput output = new CheckedOutput(target)) {
			output.writeObject(value);
			output.types.forEach(this::requireAllowed);
		}
		catch (NotSerializableException ex) {
			// The message is the name of the class.
			throw new StateStoreConversionException(
					ex.getMessage() + " is not Serializable. Implement Serializable, or cache the values as JSON");
		}
		catch (StackOverflowError ex) {
			throw StateStoreConversionException.conceal("the objects are nested too deeply", ex);
		}
	}

	@Override
	public Object read(Bytes value, Type type) {
		try (InputStream source = new ByteArrayInputStream(value.toArray());
				BoundedObjectInput input = new BoundedObjectInput(source, value.length(), this.classLoader,
						this::requireAllowed)) {
			return input.readObject();
		}
		catch (InvalidClassException ex) {
			throw (ex.getCause() instanceof StateStoreConversionException refusal) ? refusal
					: StateStoreConversionException.conceal("", ex);
		}
		catch (IOException | ClassNotFoundException | StackOverflowError | OutOfMemoryError ex) {
			// The bytes may come from another client, and must not end this process.
			throw StateStoreConversionException.conceal("", ex);
		}
	}

	private void requireAllowed(Class<?> type) {
		Class<?> element = type;
		while (element.isArray()) {
			element = element.getComponentType();
		}
		String name = element.getName();
		if (!element.isPrimitive() && element != Serializable.class && !JDK_PACKAGES.contains(element.getPackageName())
				&& this.prefixes.stream().noneMatch(name::startsWith)) {
			throw new StateStoreConversionException("Class " + name
					+ " is not in an allowed package. Allow its package in the SerializedValueConverter or in the "
					+ "property 'statestore.cache.allowed-packages', or cache the values as JSON");
		}
	}

	/** Output that collects the types it writes. */
	private static final class CheckedOutput extends ObjectOutputStream {

		private final Set<Class<?>> types = new LinkedHashSet<>();

		private CheckedOutput(OutputStream target) throws IOException {
			super(target);
		}

		@Override
		protected void annotateClass(Class<?> type) {
			this.types.add(type);
		}

		@Override
		protected void annotateProxyClass(Class<?> type) {
			this.types.add(type);
		}

	}

}
