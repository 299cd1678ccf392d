import { useQuery } from '@tanstack/react-query';
import { instanceQuery } from '../../api.ts';
import { Notice } from '../../ui/notice.tsx';

/** Notices about the machine, for the instance owner only. */
export function InstanceNotices() {
  const { data } = useQuery(instanceQuery);
  return data?.notices.map((notice) => (
    <Notice key={notice} kind="warn">
      {notice}
    </Notice>
  ));
}
