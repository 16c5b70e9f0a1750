//! Who a caller says it is: nobody, or a user of a system (RFC 5531 sections 10.1 and appendix A).

use super::Reader;
use super::xdr::value;
use warpscope_wire::rpc::{Auth, AuthView, MAX_AUTH_BODY};
use warpscope_wire::{Illegal, Layer, Malformed, Writer};

/// The flavor of [`Credential::None`], and of all verifiers here.
const AUTH_NONE: u32 = 0;
/// The flavor of [`Credential::Sys`].
const AUTH_SYS: u32 = 1;
/// The longest machine name in bytes.
const LONGEST_MACHINE_NAME: usize = 255;
/// The most groups beside the first.
const MOST_GROUPS: usize = 16;

/// Who a caller says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Credential {
    /// AUTH_NONE: it does not say.
    #[default]
    None,
    /// AUTH_SYS: a user. Nobody vouches for it.
    Sys(AuthSys),
}

/// A user as AUTH_SYS names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthSys {
    /// An arbitrary number of the caller's machine.
    pub stamp: u32,
    /// The name of the caller's machine, up to 255 bytes.
    pub machine_name: Vec<u8>,
    /// User ID.
    pub user: u32,
    /// Group ID.
    pub group: u32,
    /// Further group IDs, up to 16.
    pub groups: Vec<u32>,
}

impl Credential {
    /// Reads a credential; `None` when its flavor is neither AUTH_NONE nor AUTH_SYS.
    ///
    /// # Errors
    /// [`Malformed`] when the body is not what the flavor says.
    pub(super) fn read(view: &AuthView<'_>) -> Result<Option<Self>, Malformed> {
        match view.flavor {
            AUTH_NONE => Ok(Some(Self::None)),
            AUTH_SYS => Ok(Some(Self::Sys(AuthSys::read(&mut Reader::new(view.body))?))),
            _ => Ok(None),
        }
    }

    /// The credential for a header.
    ///
    /// # Errors
    /// [`Illegal`] when the machine name has over 255 bytes, or there are over 16 further groups.
    pub fn to_auth(&self) -> Result<Auth, Illegal> {
        match self {
            Self::None => Ok(Auth::default()),
            Self::Sys(user) => user.to_auth(),
        }
    }
}

impl AuthSys {
    fn read(body: &mut Reader<'_>) -> Result<Self, Malformed> {
        let stamp = body.word("stamp")?;
        let machine_name = body.opaque("machine name", LONGEST_MACHINE_NAME as u32)?.to_vec();
        let user = body.word("user")?;
        let group = body.word("group")?;
        let count = body.word("number of groups")?;
        if count as usize > MOST_GROUPS {
            return Err(value("number of groups", count));
        }
        let groups = (0..count).map(|_| body.word("group")).collect::<Result<_, _>>()?;
        Ok(Self { stamp, machine_name, user, group, groups })
    }

    fn to_auth(&self) -> Result<Auth, Illegal> {
        let illegal = |field, value| {
            let section = "RFC 5531 appendix A";
            Illegal { layer: Layer::Rpc, field, value, section }
        };
        let (name, groups) = (self.machine_name.as_slice(), &self.groups);
        if name.len() > LONGEST_MACHINE_NAME {
            return Err(illegal("machine name", name.len() as u64));
        }
        if groups.len() > MOST_GROUPS {
            return Err(illegal("number of groups", groups.len() as u64));
        }
        let mut buffer = [0; MAX_AUTH_BODY];
        let mut writer = Writer::new(&mut buffer);
        writer.u32(self.stamp).u32(name.len() as u32).bytes(name);
        writer.zeros(name.len().next_multiple_of(4) - name.len());
        writer.u32(self.user).u32(self.group).u32(groups.len() as u32);
        for group in groups {
            writer.u32(*group);
        }
        Auth::new(AUTH_SYS, writer.so_far())
    }
}
