package io.statestore.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Assertions;

/**
 * A module's API: the signatures of public types, their public and protected members, and
 * their supertypes. Types in packages named {@code internal} are not part of it; they are
 * only for other modules of this project.
 */
public final class PublicApi {

	private static final Path SIGNATURES = Path.of("src/test/resources/api.txt");

	private final JavaClasses classes = new ClassFileImporter().importPath("target/classes");

	/**
	 * Compares the API of the module in the working directory with its committed
	 * signatures. With {@code -Dapi.write=true}, writes the signatures instead.
	 * @param maxTypes maximum number of public top-level types
	 * @param maxInternal maximum number of public types for other modules
	 * @throws IOException if the committed signatures cannot be read or written
	 * @throws AssertionError if the API differs, is too large, or exposes a type for
	 * other modules
	 */
	public void verify(int maxTypes, int maxInternal) throws IOException {
		Set<String> signatures = new TreeSet<>();
		types(false).forEach((type) -> signatures.addAll(signatures(type)));
		if (Boolean.getBoolean("api.write")) {
			Files.write(SIGNATURES, signatures);
		}
		Set<String> committed = new TreeSet<>(Files.readAllLines(SIGNATURES));
		List<String> differences = Stream
			.concat(minus(committed, signatures, "removed: "), minus(signatures, committed, "added: "))
			.toList();
		Assertions.assertTrue(differences.isEmpty(),
				"The API has changed. If this is intended, run the test with -Dapi.write=true:\n"
						+ String.join("\n", differences));
		List<String> exposing = signatures.stream().filter((line) -> line.contains(".internal.")).toList();
		Assertions.assertTrue(exposing.isEmpty(),
				"The API exposes types of internal packages:\n" + String.join("\n", exposing));
		requireAtMost(maxTypes, types(false));
		requireAtMost(maxInternal, types(true));
	}

	private static Stream<String> minus(Set<String> lines, Set<String> others, String prefix) {
		return lines.stream().filter((line) -> !others.contains(line)).map(prefix::concat);
	}

	private static void requireAtMost(int max, Stream<JavaClass> types) {
		List<String> topLevel = types.filter((type) -> type.getEnclosingClass().isEmpty())
			.map(JavaClass::getName)
			.sorted()
			.toList();
		Assertions.assertTrue(topLevel.size() <= max, topLevel.size() + " public types, but at most " + max
				+ " are permitted:\n" + String.join("\n", topLevel));
	}

	private Stream<JavaClass> types(boolean internal) {
		return this.classes.stream()
			.filter(PublicApi::isVisible)
			.filter((type) -> type.getPackageName().contains(".internal") == internal);
	}

	private static boolean isVisible(JavaClass type) {
		return isVisible(type.getModifiers())
				&& type.getEnclosingClass().map(PublicApi::isVisible).orElse(!type.isAnonymousClass());
	}

	private static boolean isVisible(Set<JavaModifier> modifiers) {
		return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
				&& !modifiers.contains(JavaModifier.SYNTHETIC) && !modifiers.contains(JavaModifier.BRIDGE);
	}

	private static List<String> signatures(JavaClass type) {
		String supertypes = Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream())
			.map(JavaType::getName)
			.filter((name) -> !name.equals("java.lang.Object"))
			.collect(Collectors.joining(", "));
		return Stream
			.concat(Stream.of(modifiers(type.getModifiers()) + kind(type) + " " + type.getName() + " : " + supertypes),
					type.getMembers()
						.stream()
						.filter((member) -> isVisible(member.getModifiers()))
						.map(PublicApi::signature))
			.toList();
	}

	private static String kind(JavaClass type) {
		if (type.isAnnotation()) {
			return "annotation";
		}
		return type.isInterface() ? "interface" : "class";
	}

	private static String signature(JavaMember member) {
		String prefix = modifiers(member.getModifiers());
		if (member instanceof JavaField field) {
			return prefix + field.getFullName() + " : " + field.getRawType().getName();
		}
		return prefix + member.getFullName() + " : " + ((JavaCodeUnit) member).getRawReturnType().getName();
	}

	private static String modifiers(Set<JavaModifier> modifiers) {
		return Stream.of(JavaModifier.STATIC, JavaModifier.ABSTRACT, JavaModifier.FINAL, JavaModifier.PROTECTED)
			.filter(modifiers::contains)
			.map((modifier) -> modifier.name().toLowerCase() + " ")
			.collect(Collectors.joining());
	}

}
