//! Files: a case's head and its instances, and fragments.

use warpscope_requirements::{Judged, Level};

use super::{Limit, Read, Reader, Reported, Scope, means_nothing};
use crate::case::abilities::Abilities;
use crate::case::files::{Buffer, Case, Context, Fragment, Instance, Role};
use crate::case::grammar::{
    BACKINGS, BUFFER, CAPABILITIES, CASE, FRAGMENT, HASHES, LEVELS, OPTION_AXES, PROFILES, ROLES,
    SCOPES,
};
use crate::case::step::{Argument, Record};
use crate::case::value::{Region, Side};
use crate::yaml::{self, Data, Diagnostics, Key, Node, Source};

/// Reads a file of shared steps. Returns `None` if it is wrong, which is reported.
pub(crate) fn fragment(
    source: &Source,
    root: &Node,
    context: Context<'_>,
    wrong: &mut Diagnostics,
) -> Option<Fragment> {
    let mut reader = Reader::new(context, &[], source);
    let map = root.map().unwrap_or_default();
    let known = reader.check_keys(map, &[FRAGMENT], means_nothing);
    let needed = reader.check_needed(root.place, map, FRAGMENT);
    wrong.extend(reader.wrong.sorted());
    known.and(needed).ok()?;
    let name = root.of("fragment").and_then(Node::text).unwrap_or_default().to_owned();
    Some(Fragment { name, source: source.clone(), root: root.clone() })
}

/// Reads a file that holds a case. Returns `None` if its head is wrong. Reports everything that is wrong, and
/// names the fragments that it uses.
pub(crate) fn case(
    source: &Source,
    root: &Node,
    context: Context<'_>,
    fragments: &[Fragment],
    wrong: &mut Diagnostics,
    used: &mut std::collections::BTreeSet<String>,
) -> Option<Case> {
    let mut head = Reader::new(context, fragments, source);
    let case = head.head(root);
    let axes = head.axes(root);
    let roles = head.roles(root);
    let except = head.except(root, axes.as_deref().unwrap_or_default());
    let good = head.wrong.is_empty();
    wrong.extend(head.wrong.sorted());
    let (Ok(mut case), Ok(axes), Ok(roles), Ok(except)) = (case, axes, roles, except) else {
        return None;
    };
    let mut combinations = combine(&axes);
    combinations.retain(|values| {
        !except.iter().any(|out| {
            out.iter().all(|pair| values.iter().any(|it| it.0 == pair.0 && it.1 == pair.1))
        })
    });
    let place = root.of("across").map_or(root.place, |node| node.place);
    if combinations.is_empty() || combinations.len() * roles.len() > Limit::INSTANCES {
        let what = format!("there are no instances, or more than {}", Limit::INSTANCES);
        wrong.push(source.diagnostic(place, what));
        return None;
    }
    for role in &roles {
        for values in &combinations {
            if wrong.len() >= Limit::MISTAKES {
                return None;
            }
            let mut reader = Reader::new(context, fragments, source);
            let instance = reader.instance(root, &case, *role, roles.len() > 1, values);
            wrong.extend(reader.wrong.sorted());
            used.append(&mut reader.used);
            case.instances.push(instance);
        }
    }
    needs(source, root, &mut case, wrong);
    (good && wrong.is_empty()).then_some(case)
}

/// Gives each instance the abilities that it uses, and requires the case to name those that all of them use.
/// Abilities that an axis adds belong only to its instances.
fn needs(source: &Source, root: &Node, case: &mut Case, wrong: &mut Diagnostics) {
    let used: Vec<Abilities> = case.instances.iter().map(Instance::abilities).collect();
    for (instance, used) in case.instances.iter_mut().zip(&used) {
        let missing: Vec<_> =
            used.iter().filter(|it| !instance.needs.contains(*it)).copied().collect();
        instance.needs.extend(missing);
    }
    let Some((first, others)) = used.split_first() else { return };
    let by_all = first.iter().filter(|it| others.iter().all(|used| used.contains(*it)));
    let unnamed: Vec<&str> = by_all.filter(|it| !case.needs.contains(it)).copied().collect();
    // Another mistake may be the cause. Then only that is reported.
    if !unnamed.is_empty() && wrong.is_empty() {
        let place = root.of("needs").map_or(root.place, |node| node.place);
        let what =
            format!("the case uses abilities that its `needs` do not name: {}", unnamed.join(", "));
        wrong.push(source.diagnostic(place, what));
    }
}

/// An axis: its name, and its values with their names.
type Axis = (String, Vec<(String, Node)>);

/// A value of an axis: the axis, the name of the value, the value.
type Choice = (String, String, Node);

/// Returns every combination of the axes' values. The last axis changes fastest.
fn combine(axes: &[Axis]) -> Vec<Vec<Choice>> {
    let mut all: Vec<Vec<Choice>> = vec![Vec::new()];
    for (axis, values) in axes {
        let longer = all.iter().flat_map(|so_far| {
            values.iter().map(move |(name, node)| {
                let mut longer = so_far.clone();
                longer.push((axis.clone(), name.clone(), node.clone()));
                longer
            })
        });
        all = longer.take(Limit::INSTANCES + 1).collect();
    }
    all
}

/// Whether a text contains `$name`, and not only as the beginning of a longer name.
fn names(text: &str, name: &str) -> bool {
    let goes_on = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.split('$')
        .skip(1)
        .any(|behind| behind.strip_prefix(name).is_some_and(|rest| !rest.starts_with(goes_on)))
}

impl Reader<'_> {
    fn head(&mut self, root: &Node) -> Read<Case> {
        let Some(map) = root.map() else {
            return Err(self.report(root.place, format!("a case has keys, not {}", root.kind())));
        };
        // Other mistakes are still reported.
        let _ = self.check_keys(map, &[CASE], means_nothing);
        let _ = self.check_needed(root.place, map, CASE);
        let id = self.id(root)?;
        let title = self.optional(map, "title", |reader, node| reader.text(node, "`title`"))?;
        let title = title.unwrap_or_default();
        let covers = self.covers(root);
        let kills = self.kills(root);
        let needs = root.of("needs").map(|node| self.list(node)).unwrap_or_default();
        let needs = needs.iter().flat_map(|need| self.word(need, CAPABILITIES)).collect();
        let profile = self.optional(map, "profile", |reader, node| reader.word(node, PROFILES))?;
        let profile = profile.unwrap_or("rfc5040");
        let level = self.optional(map, "level", |reader, node| reader.word(node, LEVELS))?;
        let recommended = match level {
            Some(word) => word != "must",
            None => !matches!(
                self.context.catalogue.strongest(&covers),
                Some(Level::Must | Level::MustNot)
            ),
        };
        // Listings read tags from the tree. Here they are only checked.
        if let Some(node) = root.of("tags") {
            for tag in self.list(node) {
                self.text(&tag, "a tag")?;
            }
        }
        let file = self.source.name().to_owned();
        let instances = Vec::new();
        Ok(Case { id, title, file, covers, kills, needs, profile, recommended, instances })
    }

    fn id(&mut self, root: &Node) -> Read<String> {
        let Some(node) = root.of("id") else { return Err(Reported) };
        let id = self.text(node, "`id`")?;
        let letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        if id.chars().all(letter) && id.starts_with(|it: char| it.is_ascii_lowercase()) {
            Ok(id)
        } else {
            Err(self.report(node.place, "an id has lowercase letters, digits and hyphens"))
        }
    }

    fn covers(&mut self, root: &Node) -> Vec<String> {
        let Some(node) = root.of("covers") else { return Vec::new() };
        let list = self.list(node);
        if list.is_empty() {
            self.report(node.place, "a case judges at least one requirement");
        }
        let mut covers: Vec<String> = Vec::new();
        for node in list {
            let Ok(id) = self.text(&node, "a requirement's id") else { continue };
            match self.context.catalogue.find(&id) {
                Ok(_) if covers.contains(&id) => {
                    self.report(node.place, format!("{id} is listed twice"));
                }
                Ok(requirement) if requirement.judged == Judged::Unobservable => {
                    let what = "is not visible on the wire or to a peer: no case can judge it";
                    self.report(node.place, format!("{id} {what}"));
                }
                Ok(_) => covers.push(id),
                Err(error) if error.nearest.is_some() => {
                    self.report(node.place, error.to_string());
                }
                Err(error) => {
                    let document = id.split('-').next().unwrap_or_default().to_lowercase();
                    let known = self.context.catalogue.in_document(&document).next().is_some();
                    let of = if known { format!(" --document {document}") } else { String::new() };
                    let lists = format!("`warpscope conform coverage --all{of}` lists all");
                    self.report(node.place, format!("{error}; {lists}"));
                }
            }
        }
        covers
    }

    fn kills(&mut self, root: &Node) -> Vec<String> {
        let mut kills: Vec<String> = Vec::new();
        let Some(node) = root.of("kills") else { return kills };
        for node in self.list(node) {
            let Ok(bug) = self.text(&node, "a bug's name") else { continue };
            match self.context.bugs {
                Some(bugs) if !bugs.contains(&bug.as_str()) => {
                    let what = format!("there is no seeded bug `{bug}`");
                    let what = yaml::unknown_of(&what, &bug, bugs, "warpscope peer bugs");
                    self.report(node.place, what);
                }
                _ if kills.contains(&bug) => {
                    self.report(node.place, format!("`{bug}` is listed twice"));
                }
                _ => kills.push(bug),
            }
        }
        kills
    }

    fn roles(&mut self, root: &Node) -> Read<Vec<Role>> {
        let both = vec![Role::Initiator, Role::Responder];
        Ok(match root.of("role") {
            None => vec![Role::Initiator],
            Some(node) => match self.word(node, ROLES)? {
                "initiator" => vec![Role::Initiator],
                "responder" => vec![Role::Responder],
                _ => both,
            },
        })
    }

    /// Reads the axes, each with its values by name.
    fn axes(&mut self, root: &Node) -> Read<Vec<Axis>> {
        let Some(node) = root.of("across") else { return Ok(Vec::new()) };
        let mut axes = Vec::new();
        for (key, values) in self.map(node, "`across`")? {
            self.new_variable(&key)?;
            let mut named: Vec<(String, Node)> = Vec::new();
            for value in self.list(&values) {
                let name = match value.of("name").or(Some(&value)).and_then(Node::text) {
                    Some(name) if !name.is_empty() && !name.contains([',', '[', ']', '=']) => name,
                    _ => {
                        let what =
                            "a value of an axis must be a word or a number, or have a `name`";
                        return Err(self.report(value.place, what));
                    }
                };
                if named.iter().any(|(known, _)| known == name) {
                    return Err(self.report(value.place, format!("`{name}` is listed twice")));
                }
                named.push((name.to_owned(), value.clone()));
            }
            if named.is_empty() {
                return Err(self.report(values.place, "an axis has at least one value"));
            }
            self.axis_is_used(&key);
            axes.push((key.name, named));
        }
        Ok(axes)
    }

    /// Reports an axis without effect: nothing depends on its name, and `$name` is not used. Other mistakes
    /// are still reported.
    fn axis_is_used(&mut self, key: &Key) {
        let used = OPTION_AXES.contains(&key.name.as_str())
            || names(self.source.text(), &key.name)
            || self.fragments.iter().any(|it| names(it.source.text(), &key.name));
        if !used {
            let what = format!("nothing uses `${}`: all its instances would be the same", key.name);
            self.report(key.place, what);
        }
    }

    /// Reads the combinations that are not instances: pairs of an axis and the name of a value.
    fn except(&mut self, root: &Node, axes: &[Axis]) -> Read<Vec<Vec<(String, String)>>> {
        let Some(node) = root.of("except") else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for out in self.list(node) {
            let mut pairs = Vec::new();
            for (key, value) in self.map(&out, "an exception")? {
                let Some((_, values)) = axes.iter().find(|(axis, _)| *axis == key.name) else {
                    let what = format!("there is no axis `{}`", key.name);
                    let known = axes.iter().map(|(axis, _)| axis);
                    return Err(self.unknown(key.place, &what, &key.name, known));
                };
                let name = self.text(&value, "a value's name")?;
                if !values.iter().any(|(known, _)| *known == name) {
                    let what = format!("axis `{}` has no value `{name}`", key.name);
                    let known = values.iter().map(|(name, _)| name);
                    return Err(self.unknown(value.place, &what, &name, known));
                }
                pairs.push((key.name, name));
            }
            if pairs.is_empty() {
                return Err(self.report(out.place, "this leaves out all instances"));
            }
            all.push(pairs);
        }
        Ok(all)
    }

    fn instance(
        &mut self,
        root: &Node,
        case: &Case,
        role: Role,
        role_in_id: bool,
        values: &[Choice],
    ) -> Instance {
        self.scope = Scope::default();
        let role_node = Node { place: root.place, data: Data::Plain(role.word().to_owned()) };
        self.scope.constants.push(("role".to_owned(), role_node));
        for (axis, _, node) in values {
            self.scope.constants.push((axis.clone(), node.clone()));
        }
        if let Some(node) = root.of("buffers") {
            self.buffers(node);
        }
        if let Some(node) = root.of("use") {
            for fragment in self.list(node) {
                // The mistake has already been reported.
                let _ = self.fragment(fragment.place, &fragment);
            }
        }
        if let Some(node) = root.of("steps") {
            self.steps(node);
            if self.steps.is_empty() && self.wrong.is_empty() {
                self.report(node.place, "a case has at least one step");
            }
        }
        // Memory that no step names needs nothing of the target. Our own STags go by position.
        let named = std::mem::take(&mut self.scope.named);
        let of_use =
            |buffer: &Buffer| buffer.region.side == Side::Local || named.contains(&buffer.region);
        self.scope.buffers.retain(of_use);
        let role_pair = role_in_id.then(|| format!("role={}", role.word()));
        let axes = values.iter().map(|(axis, name, _)| format!("{axis}={name}"));
        let pairs: Vec<String> = role_pair.into_iter().chain(axes).collect();
        let id = match pairs.is_empty() {
            true => case.id.clone(),
            false => format!("{}[{}]", case.id, pairs.join(",")),
        };
        Instance {
            id,
            case: case.id.clone(),
            needs: case.needs.clone(),
            profile: case.profile,
            recommended: case.recommended,
            role,
            buffers: std::mem::take(&mut self.scope.buffers),
            steps: std::mem::take(&mut self.steps),
        }
    }

    /// Reads the buffers of a case or a fragment.
    pub(in crate::case) fn buffers(&mut self, node: &Node) {
        let Ok(sides) = self.map(node, "`buffers`") else { return };
        for (key, buffers) in sides {
            let side = match key.name.as_str() {
                "target" => Side::Target,
                "local" => Side::Local,
                name => {
                    let what = format!("`{name}` has no buffers");
                    self.unknown(key.place, &what, name, ["target", "local"]);
                    continue;
                }
            };
            let Ok(buffers) = self.map(&buffers, "buffers of a side") else { continue };
            for (name, node) in buffers {
                if let Ok(buffer) = self.one_buffer(side, &name, &node) {
                    self.scope.buffers.push(buffer);
                }
            }
        }
    }

    fn one_buffer(&mut self, side: Side, key: &Key, node: &Node) -> Read<Buffer> {
        let region = Region { side, name: key.name.clone() };
        if key.name == "all" || key.name.contains('.') || self.buffer(&region).is_some() {
            return Err(self.report(
                key.place,
                format!("`{}` is already used, or is not a valid name", key.name),
            ));
        }
        let map = self.map(node, "a buffer")?;
        let record: Record = self.record(key.place, &map, BUFFER, &[])?;
        let length = match record.number("length").and_then(crate::case::Value::known) {
            Some(length @ 0..=0x1000_0000) => length,
            _ => {
                return Err(self.report(
                    node.place,
                    "`length` must be known before the run, and at most 256 MiB",
                ));
            }
        };
        let rights = match record.argument("rights") {
            Some(Argument::Keywords(rights)) => rights.clone(),
            _ => vec!["read", "write"],
        };
        let window = match record.argument("window") {
            Some(Argument::Region(of)) => {
                let offset = record.number("offset").map_or(Some(0), crate::case::Value::known);
                match (side, of.side, offset) {
                    (Side::Target, Side::Target, Some(offset)) => Some((of.clone(), offset)),
                    _ => {
                        let what = "a window must belong to the target, and its `offset` must be known before the run";
                        return Err(self.report(node.place, what));
                    }
                }
            }
            _ => None,
        };
        let scope = record.keyword("scope").filter(|word| SCOPES.contains(word));
        Ok(Buffer {
            region,
            length,
            rights,
            fill: record.bytes("fill").cloned(),
            base: record.number("base").cloned(),
            window,
            scope,
            backing: record.keyword("backing").filter(|word| BACKINGS.contains(word)),
            hash: record.keyword("hash").filter(|word| HASHES.contains(word)),
            stream: match record.argument("stream") {
                Some(Argument::Stream(stream)) => Some(stream.clone()),
                _ => None,
            },
        })
    }
}
