package io.statestore.test;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Rule against source files that depend on each other in a cycle. Cycles of two files,
 * such as a builder and the class it builds, are permitted. Nested classes count as part
 * of their file.
 * <p>
 * A cycle is a strongly connected component of the file graph: all files that a file can
 * reach and that can reach it.
 */
public final class FileCycles extends ArchCondition<JavaClass> {

	private static final int MAX_FILES = 2;

	/** Names of the files that each file depends on. */
	private final Map<String, Set<String>> graph = new TreeMap<>();

	private FileCycles() {
		super("not be in a cycle of more than %d files", MAX_FILES);
	}

	/**
	 * Returns a rule against cycles of more than two files in some packages.
	 * @param packages package identifiers of ArchUnit, such as
	 * {@code io.statestore.client..}
	 * @return a rule to check against imported classes
	 */
	public static ArchRule noCycleOfMoreThanTwoFiles(String... packages) {
		return classes().that().resideInAnyPackage(packages).should(new FileCycles());
	}

	@Override
	public void init(Collection<JavaClass> classes) {
		this.graph.clear();
		classes.forEach((type) -> this.graph.put(file(type), new TreeSet<>()));
	}

	@Override
	public void check(JavaClass type, ConditionEvents events) {
		String file = file(type);
		type.getDirectDependenciesFromSelf()
			.stream()
			.map((dependency) -> file(dependency.getTargetClass().getBaseComponentType()))
			.filter((target) -> !target.equals(file) && this.graph.containsKey(target))
			.forEach((target) -> this.graph.computeIfAbsent(file, (name) -> new TreeSet<>()).add(target));
	}

	@Override
	public void finish(ConditionEvents events) {
		Map<String, Set<String>> reachable = new TreeMap<>();
		this.graph.forEach((file, targets) -> reachable.put(file, new HashSet<>(targets)));
		reachable.forEach((via, further) -> reachable.values()
			.stream()
			.filter((targets) -> targets.contains(via))
			.forEach((targets) -> targets.addAll(further)));
		Set<String> found = new TreeSet<>();
		reachable.forEach((file, targets) -> {
			Set<String> files = new TreeSet<>(targets);
			files.removeIf((target) -> !reachable.getOrDefault(target, Set.of()).contains(file));
			if (files.size() > MAX_FILES && found.addAll(files)) {
				events.add(SimpleConditionEvent.violated(files, describe(files)));
			}
		});
	}

	private String describe(Set<String> files) {
		return files.size() + " files depend on each other:"
				+ files.stream()
					.map((file) -> "\n    " + file + " -> "
							+ this.graph.getOrDefault(file, Set.of())
								.stream()
								.filter(files::contains)
								.collect(Collectors.joining(", ")))
					.collect(Collectors.joining());
	}

	private static String file(JavaClass type) {
		JavaClass outermost = type;
		while (outermost.getEnclosingClass().isPresent()) {
			outermost = outermost.getEnclosingClass().get();
		}
		return outermost.getName();
	}

}
